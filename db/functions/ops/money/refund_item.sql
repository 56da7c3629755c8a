-- Roles: support, finance
create or replace function ops.refund_item(
  item_id anycompatible, amount numeric, reference text, note text, allow text[] default '{}'
)
returns numeric
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items;
begin
  perform core.require(core.is_money(amount), 'amount must be above 0, at most 100000000000, with at most 2 decimals');
  select i.* into strict item from supply.order_items i where i.id = core.refer_to('item', item_id)::uuid;
  perform core.require(item.status <> 'failed',
    format('item %s failed: %s was refunded then', item.id, item.refunded_amount),
    'object_not_in_prerequisite_state');
  perform core.require(item.status = 'completed',
    format('item %s is open: the service refunds it if it fails', item.id), 'object_not_in_prerequisite_state');
  return core.post_once('refund_item', (select o.account_id from supply.orders o where o.id = item.order_id), amount,
    reference, note, item, refund_item.allow);
end
$$;
comment on function ops.refund_item is
  'Refunds a delivered item''s price or a part of it (account currency) and returns the balance; null: it waits for a
second login. All refunds of an item are at most its price. The partner sees an adjustment with the order''s code. A
repeated reference changes nothing. Raises for an open or failed item. allow: large_amount, closed_account.';
