create or replace function core.lock_item(reference anycompatible)
returns supply.order_items
language sql set search_path = pg_catalog, pg_temp
as $$
  select core.end_when_idle();
  select i.* from supply.order_items i
  where i.id = core.refer_to('item', reference)::uuid for no key update
$$;
comment on function core.lock_item is
  'Returns the item that a reference means (core.refer_to), locked until the transaction ends.';
