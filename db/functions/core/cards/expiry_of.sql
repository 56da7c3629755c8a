create or replace function core.expiry_of(expires_at text)
returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select case
    when not regexp_like(expires_at,
        '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.,][0-9]{1,9})?)?'
        '(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9])?)?$')
      or not pg_input_is_valid(left(expires_at, 10), 'date') then null
    when length(expires_at) = 10 then (expires_at::date + 1)::timestamp at time zone 'UTC'
    when expires_at ~ 'Z$|[+-][0-9]{2}:?[0-9]{2}$' then replace(expires_at, ',', '.')::timestamptz
    else replace(expires_at, ',', '.')::timestamp at time zone 'UTC'
  end
$$;
comment on function core.expiry_of is
  'Returns when what expires at a date or time of ISO 8601 is not sold any more: a date lasts to its end. It is UTC
where no zone is named. Null: it is neither.';
