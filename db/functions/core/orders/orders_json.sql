create or replace function core.orders_json(order_ids bigint[], with_codes boolean)
returns table (order_id bigint, body json)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select o.id, json_build_object(
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
    'items', of_order.items,
    'orders', json_build_array(json_build_object('code', o.code, 'total', o.total_amount, 'itemCount', of_order.count)))
  from supply.orders o
  cross join lateral (
    select count(*) filter (where i.part = 0) as count,
      json_agg(
        case when with_codes and i.delivery_type = 'key' and i.status = 'completed'
          then core.add_member(plain.item, 'cdKeys', coalesce(core.item_codes(i.id), '[]')) else plain.item end
        order by i.position, i.part) as items
    from supply.order_items i
    cross join lateral (select json_build_object(
      'id', i.id, 'productId', i.product_id, 'productName', i.product_name, 'amount', i.amount, 'price', i.price,
      'status', i.status, 'refundedAmount', i.refunded_amount, 'errorCode', i.error_code,
      'errorMessage', i.error_message, 'completedAt', core.iso(i.completed_at)) as item) as plain
    where i.order_id = o.id
  ) as of_order
  where o.id = any (order_ids);
end
$$;
comment on function core.orders_json is
  'Returns orders as partners read them, for POST, GET and lists. with_codes: with the delivered codes. Specification
2.3.';
