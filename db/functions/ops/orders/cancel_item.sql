-- Roles: support
create or replace function ops.cancel_item(item_id anycompatible, note text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant uuid := core.refer_to('item', item_id)::uuid;
  placed supply.orders;
  item supply.order_items;
begin
  perform core.require(not core.is_blank(note), 'note must say why the item is cancelled');
  select o.* into placed from supply.orders o
  where o.id = (select i.order_id from supply.order_items i where i.id = wanted_id);
  perform 1 from supply.accounts a where a.id = placed.account_id for no key update;
  perform 1 from supply.orders o where o.id = placed.id for no key update;
  select i.* into item from supply.order_items i where i.id = wanted_id for no key update;
  if item.error_code = 'CANCELLED' then
    raise notice 'item % (% × %) is cancelled already: nothing changed', item.id, item.amount, item.product_name;
    return;
  end if;
  perform core.require(item.completed_at is null, format('item %s is final already: %s', item.id, item.status),
    'object_not_in_prerequisite_state', 'Nothing of a final item can be cancelled. ops.refund_item gives money back.');
  perform core.require(core.is_unsent(item), format('item %s may be at supplier %s', item.id, item.supplier),
    'object_not_in_prerequisite_state', format(
      'Nobody can cancel what may have been sent. What happened: select * from ops.order_story(%L)', placed.code));
  perform core.cancel_items(array[item], 'operator', trim(note));
  perform core.log_operator('cancel_item', 'item ' || item.id, jsonb_build_object('note', trim(note)));
  select o.* into placed from supply.orders o where o.id = placed.id;
  raise notice 'item % (% × %) is cancelled; order % is %', item.id, item.amount, item.product_name, placed.code,
    case when placed.completed_at is null then 'still open'
      else format('%s, %s %s refunded', placed.status, placed.refunded_amount, placed.currency) end;
end
$$;
comment on function ops.cancel_item is
  'Fails an item that certainly never reached a supplier with CANCELLED. It is refunded when its order ends, and the
partner is notified as of any failed item. note says why. Raises for an item that is final, or that a supplier may
have.';
