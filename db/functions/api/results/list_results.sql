create or replace function api.list_results(account_id bigint, key_id bigint, after bigint, page_limit int)
returns table (count int, last_seq bigint, body json)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select p.count, p.last_seq, p.body
  from core.results_page(account_id, after, page_limit) p
  where core.api_key_is_valid(key_id, account_id)
$$;
comment on function api.list_results is
  'Returns the account''s final orders after a number, oldest first, how many these are, and its last number; no row:
the key does not work. Specification 4.';
