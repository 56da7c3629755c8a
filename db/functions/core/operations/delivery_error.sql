create or replace function core.delivery_error(outcome text, status_code int, error_kind supply.delivery_error_kind)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case
    when outcome is null or outcome = 'delivered' then null
    when outcome = 'lost' then 'lost'
    when status_code is not null then 'http_' || status_code
    else error_kind::text
  end
$$;
comment on function core.delivery_error is
  'Returns what a partner reads about a failed attempt: lost, http_ and the status, or the error_kind. Null of an
attempt that is under way or was delivered.';
