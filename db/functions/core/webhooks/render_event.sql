create or replace function core.render_event(
  event_id uuid, event_type text,
  order_code text, external_order_id text, total_amount numeric, completed_at timestamptz,
  items json default null, reason text default null
)
returns text
language sql stable
return json_build_object(
  'event_id', event_id,
  'event_type', event_type,
  'occurred_at', core.iso(completed_at),
  'data', case when event_type = 'order.completed' then
    json_build_object(
      'orderCode', order_code, 'externalOrderId', external_order_id, 'totalAmount', total_amount,
      'status', 'completed', 'items', items, 'completedAt', core.iso(completed_at))
  else
    json_build_object(
      'orderCode', order_code, 'externalOrderId', external_order_id, 'totalAmount', total_amount,
      'status', 'failed', 'error', 'ORDER_FAILED', 'reason', reason, 'completedAt', core.iso(completed_at))
  end
)::text;
comment on function core.render_event is
  'Returns the JSON body of an event, real or simulated: exactly the fields of specification 2.4 and 6.2. An event
occurs when its order ends. Items (core.event_item) belong to order.completed, the reason to order.failed.';
