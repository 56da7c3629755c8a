create or replace function core.write_orders(drafts jsonb[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  item_ids uuid[];
  -- The transaction may have begun long before it had its turn: its own time would not be in the order of the orders.
  placed_at timestamptz := clock_timestamp();
begin
  if cardinality(drafts) = 0 then
    return '{}';
  end if;
  with written as (
    insert into supply.orders
      (id, code, account_id, idempotency_key, external_order_id, callback_url, request_items, total_amount, currency, payment_code,
       request_id, request_id_given, traceparent, created_at, updated_at)
    overriding system value
    select (d ->> 'orderId')::bigint, d ->> 'orderCode', (d ->> 'accountId')::bigint, d ->> 'idempotencyKey', d ->> 'externalOrderId',
      d ->> 'callbackUrl', d -> 'items', (d ->> 'total')::numeric, d ->> 'currency', d ->> 'paymentCode',
      d ->> 'requestId', (d ->> 'requestIdGiven')::boolean, d ->> 'traceparent', placed_at, placed_at
    from unnest(drafts) as d
  ), added as (
    insert into supply.order_items
      (id, order_id, position, product_id, product_name, delivery_type, delivery_data, amount, price, supplier, sku, cost, next_check_at)
    select core.time_ordered_uuid(), (d ->> 'orderId')::bigint, (p ->> 'position')::int, (p ->> 'productId')::int, p ->> 'productName', p ->> 'deliveryType',
      p -> 'deliveryData', (p ->> 'amount')::int, (p ->> 'price')::numeric, p ->> 'supplier', p ->> 'sku',
      (p ->> 'cost')::numeric, now()
    from unnest(drafts) as d cross join lateral jsonb_array_elements(d -> 'priced') as p
    returning id
  )
  select array_agg(a.id) into item_ids from added a;

  perform core.post_entries((
    select jsonb_agg(jsonb_build_object(
      'accountId', d -> 'accountId', 'place', place, 'type', 'order_charge', 'amount', -(d ->> 'total')::numeric,
      'orderId', d -> 'orderId', 'paymentCode', d -> 'paymentCode'))
    from unnest(drafts) with ordinality as draft (d, place)));
  return item_ids;
end
$$;
comment on function core.write_orders is
  'Writes orders as core.judge_orders drew them up, with their items and charges, and gives the ids of the items. The caller holds the locks of '
  'the accounts, whose balances suffice.';
