create or replace function core.erase_orders(order_ids bigint[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  item_ids constant uuid[] := array(select i.id from supply.order_items i where i.order_id = any (order_ids));
begin
  update supply.orders o set
    -- guard: a repeat of an erased order is still compared with what was ordered
    items_fingerprint = core.items_fingerprint(o.id, o.request_items),
    request_items = (
      select jsonb_agg(i.item || '{"deliveryData": {}}' order by i.place)
      from jsonb_array_elements(o.request_items) with ordinality as i (item, place))
  where o.id = any (order_ids) and o.items_fingerprint is null;
  update supply.order_items i set delivery_data = '{}' where i.id = any (item_ids) and i.delivery_data <> '{}';
  update supply.supplier_attempts a set raw = null where a.item_id = any (item_ids) and a.raw is not null;
end
$$;
comment on function core.erase_orders is
  'Erases the delivery data of orders that have ended: in their items, their requests and the raw answers about them.
The caller has locked the orders (core.lock_to_erase).';
