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
    'paymentCode', overlay(placed.code placing 'sim_pay' from 1 for 3),
    'callbackUrl', placed.callback_url,
    'error', case when placed.status = 'failed' then 'ORDER_FAILED' end,
    'reason', placed.reason,
    'createdAt', core.iso(placed.created_at),
    'updatedAt', core.iso(max(coalesce(part.ended_at, placed.created_at))),
    'completedAt', core.iso(placed.completed_at),
    'items', json_agg(part.item order by part.place),
    'orders', json_build_array(json_build_object(
      'code', placed.code, 'total', placed.total_amount, 'itemCount', jsonb_array_length(placed.request_items))),
    'simulated', true)
  from (
    select p.item, p.place, case when p.status <> 'processing' then placed.created_at + p.seconds * interval '1 s' end
      as ended_at
    from unnest(placed.parts) with ordinality as p (seconds, status, reason, item, place)
    where (p.status = 'processing') = coalesce(placed.created_at + p.seconds * interval '1 s' > now(), true)
  ) as part
$$;
comment on function core.simulated_order_json is
  'Returns a simulated order as partners read it: as core.orders_json renders an order, and simulated.';
