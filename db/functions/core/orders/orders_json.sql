create or replace function core.orders_json(order_ids bigint[], with_codes boolean)
returns table (place int, body json)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select wanted.place::int, case when o.id is not null then json_build_object(
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
    'orders', json_build_array(json_build_object('code', o.code, 'total', o.total_amount, 'itemCount', of_order.count))) end
  from unnest(order_ids) with ordinality as wanted (id, place)
  left join lateral (select o.* from supply.orders o where o.id = wanted.id offset 0) as o on true
  cross join lateral (
    select count(*) filter (where i.part = 0) as count,
      json_agg(
        case when with_codes and i.delivery_type = 'key' and i.status = 'completed'
          then core.add_codes(plain.item, coalesce(core.item_codes(i.id), '[]')) else plain.item end
        order by i.position, i.part) as items
    from supply.order_items i
    cross join lateral (select json_build_object(
      'id', i.id, 'productId', i.product_id, 'productName', i.product_name, 'amount', i.amount, 'price', i.price, 'status', i.status,
      'refundedAmount', i.refunded_amount, 'errorCode', i.error_code, 'errorMessage', i.error_message,
      'completedAt', core.iso(i.completed_at)) as item) as plain
    where i.order_id = o.id
  ) as of_order;
end
$$;
comment on function core.orders_json is
  'Orders as partners read them, each by its place in order_ids; with_codes adds the delivered codes. Null for a null. The one rendering for '
  'POST, GET and lists. Specification 2.3.';
