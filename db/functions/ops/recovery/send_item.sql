-- Roles: support
create or replace function ops.send_item(item_id anycompatible)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items := core.lock_item(item_id);
begin
  perform core.require(item.completed_at is null and item.held_at is not null,
    format('item %s is not held', item.id), 'object_not_in_prerequisite_state');
  perform core.require(exists (select from core.missing_items m where m.id = item.id),
    format('the last answer of supplier %s is not that it does not have item %s', item.supplier, item.id),
      'object_not_in_prerequisite_state',
    'ops.poll_now(item_id) asks it; ops.settle_item settles an item that has codes.');
  insert into supply.supplier_attempts (item_id, supplier, method, finished_at, outcome, verdict)
  values (item.id, item.supplier, 'operator', now(), 'not_received', 'sent_again');
  update supply.order_items i set
    held_at = null, held_reason = null, stuck_at = null, next_call = 'put', checks = 0, sent_at = null,
      next_check_at = now()
  where i.id = item.id;
  perform core.enqueue('call_supplier', array[item.id], key => 'call_supplier');
  perform core.log_operator('send_item', 'item ' || item.id, jsonb_build_object('supplier', item.supplier));
  raise notice 'item % is sent to supplier % again, now', item.id, item.supplier;
end
$$;
comment on function ops.send_item is
  'Sends a held item to its supplier again. Look there first that no supplier has it: a second order costs money.
Raises unless the item is held because its supplier does not know it, and either another supplier may have it after a
restore or sending it again is not safe.';
