create or replace function core.lock_to_erase(order_ids bigint[])
returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  locked constant bigint[] := array(
    select o.id from supply.orders o
    -- Another call may have erased some of them meanwhile.
    where o.id = any (order_ids) and o.items_fingerprint is null order by o.id for no key update skip locked);
  items constant uuid[] := array(
    select i.id from supply.order_items i where i.order_id = any (locked) order by i.id for no key update skip locked);
  answers constant bigint[] := array(
    select a.id from supply.supplier_attempts a where a.item_id = any (items) and a.raw is not null
    order by a.id for no key update skip locked);
begin
  return array(
    select l.id from unnest(locked) as l (id)
    where not exists (
      select from supply.order_items i
      where i.order_id = l.id and (i.id <> all (items) or exists (
        select from supply.supplier_attempts a
        where a.item_id = i.id and a.raw is not null and a.id <> all (answers)))));
end
$$;
comment on function core.lock_to_erase is
  'Locks orders, their items and the raw answers about them, without waiting. Returns the orders of which it has locked
all, and which are not erased yet: core.erase_orders may erase these.';
