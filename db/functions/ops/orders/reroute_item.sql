-- Roles: support
create or replace function ops.reroute_item(item anycompatible, supplier text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  target supply.suppliers := core.lock_supplier(supplier);
  moved supply.order_items := core.lock_item(item);
  offer core.active_offers;
begin
  perform core.require(moved.completed_at is null, format('item %s is final already: %s', moved.id, moved.status),
    'object_not_in_prerequisite_state', 'A final item stays as it is.');
  perform core.require(core.is_unsent(moved), format('item %s may be at supplier %s: it was sent there', moved.id,
    moved.supplier),
    'object_not_in_prerequisite_state', format('Sent to two suppliers it would be bought twice. Ask for it: select '
      'ops.poll_now(%L)', moved.id));
  if moved.supplier = target.code then
    raise notice 'item % is for supplier % already: nothing changed', moved.id, target.code;
    return;
  end if;
  perform core.require(target.paused_at is null, format('supplier %s is paused: %s', target.code, target.paused_reason),
    'object_not_in_prerequisite_state', format('End the pause with select ops.set_supplier_paused(%L, null).',
      target.code));
  select o.* into offer from core.active_offers o
  where o.product_id = moved.product_id and o.supplier = target.code and o.min_price <= moved.price;
  perform core.require(offer.supplier is not null,
    format('supplier %s has no usable offer of product %s (%s)', target.code, moved.product_id, moved.product_name),
    'object_not_in_prerequisite_state', format('Its offers, and why each is unusable: select * from ops.offers '
      'where product_id = %s',
      moved.product_id));
  perform core.move_item(moved, offer);
  perform core.enqueue('call_supplier', array[moved.id], key => 'call_supplier');
  perform core.log_operator('reroute_item', 'item ' || moved.id, jsonb_build_object('from', moved.supplier, 'to',
    offer.supplier));
  raise notice 'item % goes to supplier % now, no longer to %; %', moved.id, offer.supplier, moved.supplier,
    coalesce('a unit costs ' || offer.cost, 'its cost there is not known');
end
$$;
comment on function ops.reroute_item is
  'Moves an item that no supplier can have to another supplier with an offer of its product, at once. A notice shows
both suppliers. Raises if the item is final or was sent, and if the supplier is unknown, is paused or has no usable
offer. Specification 7.';
