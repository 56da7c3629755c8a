create or replace function core.settle_item(
  item supply.order_items, delivered int, error_code text default null, reason text default null
)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  public_code text := core.public_error_code(error_code);
  message text := core.buyer_reason(error_code, settle_item.reason);
  public_reason text := core.buyer_reason(null, settle_item.reason);
begin
  if delivered > 0 and delivered < item.amount then
    insert into supply.order_items
      (order_id, position, part, product_id, product_name, delivery_type, delivery_data, amount, price, status,
       error_code, error_message, buyer_reason, completed_at, supplier, sku, cost, tried_suppliers, sent_at, next_call)
    values
      (item.order_id, item.position, 1, item.product_id, item.product_name, item.delivery_type, item.delivery_data,
       -- guard: only the rest of a partial item is refunded
       item.amount - delivered, item.price, 'failed',
       public_code, message, public_reason, now(), item.supplier, item.sku, item.cost, item.tried_suppliers, item.sent_at, 'get');
  end if;
  update supply.order_items i set
    amount = case when delivered > 0 then delivered else i.amount end,
    status = case when delivered > 0 then 'completed' else 'failed' end,
    error_code = case when delivered = 0 then public_code end,
    error_message = case when delivered = 0 then message end,
    buyer_reason = case when delivered = 0 then public_reason end,
    completed_at = now(), next_check_at = null, lease_expires_at = null
  where i.id = item.id;
end
$$;
comment on function core.settle_item is
  'Makes an item final with the given number of units delivered: all (completed), none (failed), or a part, which splits it into '
  'a completed and a failed item so that the sum of price times amount stays. The order is ended by core.finish_orders.';
