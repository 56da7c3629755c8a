create or replace function core.items_fingerprint(order_id bigint, items jsonb)
returns bytea
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select sha256(k.outer_key || sha256(k.inner_key || convert_to(format('%s:%s', order_id, items), 'UTF8')))
  from supply.fingerprint_keys k
$$;
comment on function core.items_fingerprint is
  'Returns a keyed fingerprint of the requested items of one order: equal items of another order have another one.';
