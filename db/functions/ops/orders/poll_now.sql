-- Roles: support
create or replace function ops.poll_now(item_id anycompatible)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items := core.lock_item(item_id);
  due_at timestamptz;
begin
  perform core.require(item.status = 'processing',
    format('item %s is not at a supplier: it is %s', item.id, item.status), 'object_not_in_prerequisite_state',
    'It is final: ops.supplier_attempts shows its supplier''s answers.');
  perform core.require(core.may_ask(item),
    format('%s is asked by sending the order again, which could make a second order of item %s',
      item.supplier, item.id),
    'object_not_in_prerequisite_state', 'Look there, and settle the item with ops.settle_item. If no supplier has it, '
      'ops.send_item sends it as a new order.');
  due_at := greatest(now(), core.earliest_call(item));
  update supply.order_items i set next_check_at = due_at where i.id = item.id;
  perform core.enqueue('call_supplier', array[item.id], array[due_at], 'call_supplier');
  perform core.log_operator('poll_now', 'item ' || item.id, jsonb_build_object('supplier', item.supplier));
  raise notice 'item %: the call to its supplier (%) is due %', item.id, coalesce(item.supplier, 'none chosen yet'),
    case
      when due_at > now() then format('at %s, the earliest by the rules of its protocol', due_at)
      when item.next_check_at > now() then 'now; it would have come at ' || item.next_check_at
      else 'now already'
    end;
end
$$;
comment on function ops.poll_now is
  'Makes the next call to the supplier about an item due now, or when its protocol allows one, even if the item is stuck
or held. Raises if the item is final, and where asking could make a second order.';
