-- Roles: support
create or replace function ops.poll_now(item_id anycompatible)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items := core.lock_item(item_id);
begin
  perform core.require(item.status = 'processing',
    format('item %s is not at a supplier: it is %s', item.id, item.status), 'object_not_in_prerequisite_state',
    'It is final: ops.supplier_attempts shows its supplier''s answers.');
  update supply.order_items i set next_check_at = now() where i.id = item.id;
  perform core.enqueue('call_supplier', array[item.id], key => 'call_supplier');
  perform core.log_operator('poll_now', 'item ' || item.id, jsonb_build_object('supplier', item.supplier));
  raise notice 'item %: the call to its supplier (%) is due now%', item.id, coalesce(item.supplier, 'none chosen yet'),
    case when item.next_check_at > now() then '; it would have come at ' || item.next_check_at else ' already' end;
end
$$;
comment on function ops.poll_now is
  'Makes the next call to the supplier about an item due now, even if the item is stuck or held. Raises if the item is
final.';
