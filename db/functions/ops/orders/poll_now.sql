create or replace function ops.poll_now(item_id uuid)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items;
begin
  select i.* into item from supply.order_items i where i.id = poll_now.item_id for no key update;
  perform core.require(found, format('there is no item %s', coalesce(item_id::text, 'null')), 'no_data_found',
    'The items of an order: select item_id, status from ops.order_items where order_code = ''ord_…''.');
  perform core.require(item.status = 'processing',
    format('item %s is not at a supplier: it is %s', item.id, item.status), 'object_not_in_prerequisite_state',
    'It is final: ops.supplier_attempts shows what its supplier said.');
  update supply.order_items i set next_check_at = now() where i.id = item.id;
  perform core.enqueue('call_supplier', array[item.id], key => 'call_supplier');
  perform core.log_operator('poll_now', 'item ' || item.id, jsonb_build_object('supplier', item.supplier));
  raise notice 'item %: the call to its supplier (%) is due now%', item.id, coalesce(item.supplier, 'none chosen yet'),
    case when item.next_check_at > now() then '; it would have come at ' || item.next_check_at else ' already' end;
end
$$;
comment on function ops.poll_now(uuid) is 'As ops.poll_now(text), for the id of an item.';

create or replace function ops.poll_now(item text)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select ops.poll_now(core.refer_to_item(item))
$$;
comment on function ops.poll_now(text) is
  'Makes the next call to the supplier about an item due now, also of a stuck or held one. Raises if the item '
  'is final.';
