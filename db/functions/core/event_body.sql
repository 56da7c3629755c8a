create or replace function core.event_body(event_id uuid, event_type text, order_id bigint, at timestamptz)
returns text
language sql stable set search_path = ''
as $$
  select json_build_object(
    'event_id', event_body.event_id,
    'event_type', event_body.event_type,
    'occurred_at', core.iso(event_body.at),
    'data', case when event_body.event_type = 'order.completed' then
      json_build_object(
        'orderCode', o.code, 'externalOrderId', o.external_order_id, 'totalAmount', o.total_amount,
        'status', 'completed',
        'items', (
          select json_agg(
            case when i.delivery_type = 'key' then
              json_build_object('productName', i.product_name, 'amount', i.amount, 'price', i.price, 'cdKeys', (
                select json_agg(json_build_object('code', k.code) order by k.position)
                from supply.item_keys k where k.item_id = i.id))
            else
              json_build_object('productName', i.product_name, 'amount', i.amount, 'price', i.price)
            end order by i.position, i.part)
          from supply.order_items i where i.order_id = o.id
        ),
        'completedAt', core.iso(o.completed_at))
    else
      json_build_object(
        'orderCode', o.code, 'externalOrderId', o.external_order_id, 'totalAmount', o.total_amount,
        'status', 'failed', 'error', 'ORDER_FAILED', 'reason', o.reason,
        'completedAt', core.iso(o.completed_at))
    end
  )::text
  from supply.orders o
  where o.id = event_body.order_id
$$;
comment on function core.event_body is
  'The JSON body of the event about a final order: exactly the fields of specification 2.4 and 6.2.';
revoke all on function core.event_body from public;
