create or replace function api.quote_order(request jsonb)
returns table (result supply.order_result, quote json, refusal json)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select d.result,
    json_build_object(
      'items', (
        select json_agg(json_build_object(
          'productId', i.product_id, 'productName', i.product_name, 'quantity', i.quantity, 'price', i.price,
          'total', i.price * i.quantity, 'available', coalesce(i.available, false)) order by i.place)
        from unnest(d.items) as i),
      'totalAmount', d.total,
      'currency', d.currency,
      'balance', d.balance,
      'balanceAfter', d.balance - d.total),
    case when d.result = 'created' then '{}' else (select r.body from core.refusals_json(array[d]) as r) end
  from core.decide_orders(array[jsonb_populate_record(null::supply.order_request, request)]) as d
$$;
comment on function api.quote_order is
  'Returns what an order would cost (null: a product is not known), and its result: created, or a refusal with
{details}. Decides as api.place_orders does. Writes and locks nothing. request has no idempotency_key.
takes: request supply.order_request';
