create or replace function core.find_orders(reference text)
returns table (order_id bigint, kind text, id text, found_as text)
language plpgsql stable rows 5 set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := btrim(reference, E' \t\r\n');
  wanted_id constant uuid := core.uuid_of(wanted);
  -- A trace id, or a traceparent that contains one.
  trace_id constant text := coalesce(substring(wanted from '^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$'),
    wanted);
begin
  -- A code of the service wins, because another partner may use the same text as a reference.
  return query select o.id, 'order', o.code, case wanted when o.code then 'its code' else 'its payment code' end
  from supply.orders o
  where o.code in (wanted, overlay(wanted placing 'ord' from 1 for 3)) and wanted in (o.code, o.payment_code);
  if found then
    return;
  end if;
  return query
  (
    select o.id, 'order', o.code, case
        when o.external_order_id = wanted then 'the partner''s external id'
        when o.idempotency_key = wanted then 'the partner''s idempotency key'
        when o.request_id = wanted then 'the id of its request'
        else 'the id of its trace'
      end
    from supply.orders o
    where o.external_order_id = wanted or o.idempotency_key = wanted
      or o.request_id = wanted or substr(o.traceparent, 4, 32) = trace_id and o.traceparent is not null
    order by o.created_at desc limit 50
  )
  union all
  (
    select i.order_id, 'item', i.id::text, case i.id when wanted_id then 'its id' else 'the supplier''s order id' end
    from supply.order_items i where i.id = wanted_id or i.supplier_order_id = wanted limit 50
  )
  union all
  select e.order_id, 'event', e.id::text, 'its id' from supply.events e where e.id = wanted_id
    and e.order_id is not null;
end
$$;
comment on function core.find_orders is
  'Finds the orders that have a reference. An order code or a payment code finds its order alone; an external id,
idempotency key, request id, trace id, item id, event id or supplier''s order id at most 50. Returns the kind (order,
item or event) and the id of what has the reference, and which reference it is (found_as).';
