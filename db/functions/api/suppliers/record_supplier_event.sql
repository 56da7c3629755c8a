create or replace function api.record_supplier_event(
  supplier text, event_id text, item_id uuid, supplier_order_id text, says_failed boolean,
  says_delivered boolean default false
)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant uuid := coalesce(record_supplier_event.item_id, (
    select (array_agg(i.id))[1] from supply.order_items i
    where i.supplier_order_id = record_supplier_event.supplier_order_id
      and i.supplier = record_supplier_event.supplier and i.part = 0
    having count(*) = 1));
  item supply.order_items;
  is_there boolean;
begin
  select i.* into item from supply.order_items i where i.id = wanted_id for no key update skip locked;
  if not found then
    return case
      when exists (select from supply.order_items i where i.id = wanted_id) then 'busy'
      else 'unknown_reference'
    end;
  end if;
  is_there := item.sent_at is not null and item.supplier = record_supplier_event.supplier;
  if not is_there and not exists (
      select from supply.supplier_attempts a
      where a.item_id = item.id and a.supplier = record_supplier_event.supplier) then
    return 'unknown_reference';
  end if;
  if not is_there and not says_delivered then
    return 'ignored';
  end if;
  insert into supply.supplier_events (supplier, event_id, item_id)
  values (record_supplier_event.supplier, record_supplier_event.event_id, item.id)
  on conflict on constraint supplier_events_pkey do nothing;
  if not found then
    return 'repeated';
  end if;
  if says_failed and item.status = 'completed' or says_delivered and (not is_there or item.status = 'failed') then
    perform core.raise_alerts(array[row('contradicting_result', record_supplier_event.supplier, null, format(
      'supplier %s pushes that item %s %s, which is %s at %s: look there', record_supplier_event.supplier, item.id,
      case when says_delivered then 'was delivered' else 'failed' end, item.status, item.supplier)
    )::supply.occurrence]);
  end if;
  if not is_there then
    return 'ignored';
  end if;
  -- Held items wait for an operator. A call under way may be older than the event: the next step comes soon.
  if item.completed_at is not null or item.next_check_at is null or item.lease_expires_at is not null then
    return 'recorded';
  end if;
  update supply.order_items i set next_check_at = now() where i.id = item.id and i.next_check_at > now();
  if found then
    perform core.enqueue('call_supplier', array[item.id], key => 'call_supplier');
  end if;
  return 'recorded';
end
$$;
comment on function api.record_supplier_event is
  'Records an authentic event of a supplier (event_id: a hash of its name) about an item, by our id, or by its own if
one item has it, and has it asked for now; an alert if it contradicts what we know. Returns recorded, repeated (it came
before), ignored (the item left it), unknown_reference (it never had such an item), or busy (locked: nothing done).';
