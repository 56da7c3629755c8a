create or replace function core.simulated_order_json(placed supply.simulated_orders)
returns json
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select json_build_object(
    'code', placed.code,
    'orderCode', placed.code,
    'externalOrderId', placed.external_order_id,
    'status', placed.status,
    'outcome', placed.outcome,
    'totalAmount', placed.total_amount,
    'refundedAmount', placed.refunded_amount,
    'currency', placed.currency,
    'paymentCode', placed.payment_code,
    'callbackUrl', placed.callback_url,
    'error', case when placed.status = 'failed' then 'ORDER_FAILED' end,
    'reason', placed.reason,
    'createdAt', core.iso(placed.created_at),
    'updatedAt', core.iso(placed.updated_at),
    'completedAt', core.iso(placed.completed_at),
    'items', (
      select json_agg(
        case when part ? 'cdKeys' then core.add_codes(plain.item, (part -> 'cdKeys')::json) else plain.item end order by i.place, p.place)
      from jsonb_array_elements(placed.items) with ordinality as i (item, place)
      cross join lateral jsonb_array_elements(
        case when i.item ? 'completedAt' then i.item -> 'parts'
          else jsonb_build_array(jsonb_build_object('id', i.item -> 'id', 'amount', i.item -> 'amount', 'status', 'processing')) end
      ) with ordinality as p (part, place)
      cross join lateral (select json_build_object(
        'id', part -> 'id', 'productId', i.item -> 'productId', 'productName', i.item -> 'productName', 'amount', part -> 'amount',
        'price', i.item -> 'price', 'status', part -> 'status',
        'refundedAmount', case part ->> 'status' when 'failed' then (part ->> 'amount')::int * (i.item ->> 'price')::numeric else 0.00 end,
        'errorCode', part ->> 'errorCode', 'errorMessage', part ->> 'errorMessage',
        'completedAt', core.iso((i.item ->> 'completedAt')::timestamptz)) as item) as plain),
    'orders', json_build_array(json_build_object(
      'code', placed.code, 'total', placed.total_amount, 'itemCount', jsonb_array_length(placed.items))),
    'simulated', true)
$$;
comment on function core.simulated_order_json is
  'A simulated order as partners read it: as core.orders_json renders an order, and simulated.';
