create or replace function core.order_json(order_id bigint, with_codes boolean)
returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  o supply.orders;
  items json;
  item_count int;
begin
  select s.* into o from supply.orders s where s.id = order_json.order_id;
  select json_agg(core.item_json(i, with_codes) order by i.position, i.part), count(*) filter (where i.part = 0)
  into items, item_count
  from supply.order_items i where i.order_id = o.id;
  return json_build_object(
    'code', o.code,
    'orderCode', o.code,
    'externalOrderId', o.external_order_id,
    'status', o.status,
    'outcome', o.outcome,
    'totalAmount', o.total_amount,
    'refundedAmount', o.refunded_amount,
    'currency', o.currency,
    'paymentCode', o.payment_code,
    'callbackUrl', o.callback_url,
    'error', case when o.status = 'failed' then 'ORDER_FAILED' end,
    'reason', o.reason,
    'createdAt', core.iso(o.created_at),
    'updatedAt', core.iso(o.updated_at),
    'completedAt', core.iso(o.completed_at),
    'items', items,
    'orders', json_build_array(json_build_object('code', o.code, 'total', o.total_amount, 'itemCount', item_count)));
end
$$;
comment on function core.order_json is
  'An order as partners read it; with_codes adds the delivered codes. The one rendering for POST, GET and lists. Specification 2.3.';
