create or replace function core.keys_of_items(items supply.priced_item[])
returns bigint
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(sum(i.quantity::bigint), 0)::bigint from unnest(items) as i where i.delivery_type = 'key'
$$;
comment on function core.keys_of_items is 'Returns how many codes items of an order request ask for.';
