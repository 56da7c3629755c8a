create or replace function core.find_orders(reference text)
returns table (order_id bigint, kind text, id text, found_as text)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := btrim(reference, E' \t\r\n');
  wanted_id constant uuid := core.uuid_of(wanted);
  -- A trace id, or the traceparent that it stands in.
  trace_id constant text := coalesce(substring(wanted from '^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$'),
    wanted);
  most constant int := 50;
begin
  -- An order code wins: another partner may have it as a reference of his own.
  return query select o.id, 'order', o.code, 'its code' from supply.orders o where o.code = wanted;
  if found then
    return;
  end if;
  return query
  select o.id, 'order', o.code, 'its payment code' from supply.orders o where o.payment_code = wanted
  union all
  select r.* from (
    select o.id, 'order', o.code, 'the partner''s external id' from supply.orders o
    where o.external_order_id = wanted order by o.created_at desc limit most) as r
  union all
  select r.* from (
    select o.id, 'order', o.code, 'the partner''s idempotency key' from supply.orders o
    where o.idempotency_key = wanted and o.external_order_id <> wanted order by o.created_at desc limit most) as r
  union all
  select r.* from (
    select o.id, 'order', o.code, 'the id of its request' from supply.orders o
    where o.request_id = wanted and o.external_order_id <> wanted and o.idempotency_key <> wanted
      order by o.created_at desc limit most) as r
  union all
  select r.* from (
    select o.id, 'order', o.code, 'the id of its trace' from supply.orders o
    where substr(o.traceparent, 4, 32) = trace_id and o.traceparent is not null
      order by o.created_at desc limit most) as r
  union all
  select i.order_id, 'item', i.id::text, 'its id' from supply.order_items i where i.id = wanted_id
  union all
  select r.* from (
    select i.order_id, 'item', i.id::text, 'the supplier''s order id' from supply.order_items i
    where i.supplier_order_id = wanted and i.supplier_order_id is not null limit most) as r
  union all
  select e.order_id, 'event', e.id::text, 'its id' from supply.events e where e.id = wanted_id
    and e.order_id is not null;
end
$$;
comment on function core.find_orders is
  'Returns the orders that a text may mean: by order code, payment code, external id, idempotency key, item id, event
id, supplier''s order id, request id or trace id, at most the newest 50 of each. A whole order code means that order
alone. kind: order, item or event, with its id and as what it was found.';
