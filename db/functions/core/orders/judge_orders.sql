create or replace function core.judge_orders(requests jsonb)
returns jsonb[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  products jsonb := core.offered_products(requests);
begin
  return array(
    select r || jsonb_build_object('items', priced.comparable)
      -- A quote says what things cost, whatever becomes of it.
      || case when r ? 'idempotencyKey' then '{}'
        else jsonb_build_object('priced', priced.items, 'total', priced.total, 'currency', account.currency) end
      || case
      -- The key was checked by the admission; it may have been revoked since, and then it must not spend.
      when account.active is not true or key.account_id is distinct from account.id or not key.works
        then '{"result": "UNAUTHORIZED"}'
      when earlier.id is not null then core.answer_repeat(
        jsonb_build_object('orderId', earlier.id, 'orderCode', earlier.code, 'items', earlier.request_items,
          'externalOrderId', earlier.external_order_id, 'callbackUrl', earlier.callback_url),
        r || jsonb_build_object('items', priced.comparable))
      when r ->> 'callbackError' is not null then jsonb_build_object(
        'result', 'INVALID_CALLBACK_URL', 'details', jsonb_build_array(
          jsonb_build_object('path', 'callbackUrl', 'message', r ->> 'callbackError')))
      when priced.unknown is not null then jsonb_build_object('result', 'PRODUCT_NOT_FOUND', 'details', priced.unknown)
      when priced.wrong_data is not null then jsonb_build_object(
        'result', 'DELIVERY_DATA_INVALID', 'details', jsonb_path_query_array(priced.wrong_data, '$[*][*]'))
      when priced.unavailable is not null then jsonb_build_object('result', 'PRODUCT_UNAVAILABLE', 'details', priced.unavailable)
      when priced.out_of_range is not null then jsonb_build_object('result', 'QUANTITY_OUT_OF_RANGE', 'details', priced.out_of_range)
      when priced.too_dear is not null or priced.total > (r ->> 'maxTotal')::numeric then jsonb_build_object(
        'result', 'PRICE_CHANGED', 'details', coalesce(priced.too_dear, '[]') || case
          when priced.total > (r ->> 'maxTotal')::numeric then jsonb_build_array(jsonb_build_object(
            'path', 'maxTotal', 'message', 'the total is now ' || priced.total, 'price', priced.total))
          else '[]' end)
      -- Of a quote nothing is written.
      when not r ? 'idempotencyKey' then '{"result": "created"}'
      else jsonb_build_object(
        'result', 'created', 'orderId', nextval('supply.orders_id_seq'), 'currency', account.currency, 'total', priced.total,
        'orderCode', 'ord_' || replace(gen_random_uuid()::text, '-', ''),
        'paymentCode', 'pay_' || replace(core.time_ordered_uuid()::text, '-', ''), 'priced', priced.items)
    end
    from (
      select e as r from jsonb_array_elements(requests) as e order by (e ->> 'accountId')::bigint, (e ->> 'ordinal')::int offset 0
    ) as request
    left join lateral (select a.* from supply.accounts a where a.id = (r ->> 'accountId')::bigint offset 0) as account on true
    left join lateral (
      select k.account_id,
        k.revoked_at is null and k.starts_at <= now() and (k.expires_at is null or k.expires_at > now()) as works
      from supply.api_keys k where k.id = (r ->> 'keyId')::bigint offset 0
    ) as key on true
    left join lateral (
      -- Written so that no other index serves it: many orders may have the account, and many accounts the key.
      select o.id, o.code, o.request_items, o.external_order_id, o.callback_url from supply.orders o
      where o.idempotency_key = r ->> 'idempotencyKey' and o.account_id + 0 = (r ->> 'accountId')::bigint offset 0
    ) as earlier on true
    cross join lateral (
      select sum(i.price * i.quantity) as total,
        jsonb_agg(jsonb_build_object('productId', i.item -> 'productId', 'quantity', i.item -> 'quantity',
          'deliveryData', i.item -> 'deliveryData') order by i.place) as comparable,
        jsonb_agg(jsonb_build_object('position', i.place - 1, 'productId', i.product -> 'id', 'productName', i.product -> 'name',
          'deliveryType', i.product -> 'deliveryType', 'deliveryData', i.item -> 'deliveryData', 'amount', i.quantity,
          'price', i.price, 'available', i.product -> 'available', 'supplier', i.product -> 'supplier', 'sku', i.product -> 'sku',
          'cost', i.product -> 'cost') order by i.place) as items,
        jsonb_agg(jsonb_build_object('path', i.path || '.productId', 'message', 'no such product') order by i.place)
          filter (where i.product is null) as unknown,
        jsonb_agg(i.errors order by i.place) filter (where i.errors <> '[]') as wrong_data,
        jsonb_agg(jsonb_build_object('path', i.path || '.productId', 'message', 'the product is out of stock') order by i.place)
          filter (where not (i.product ->> 'available')::boolean) as unavailable,
        jsonb_agg(jsonb_build_object('path', i.path || '.quantity',
          'message', 'must be from 1 to ' || (i.product ->> 'maxQuantity')) order by i.place)
          filter (where i.quantity > (i.product ->> 'maxQuantity')::int) as out_of_range,
        jsonb_agg(jsonb_build_object('path', i.path || '.maxPrice',
          'message', 'the price is now ' || i.price, 'price', i.price) order by i.place)
          filter (where i.price > (i.item ->> 'maxPrice')::numeric) as too_dear
      from (
        select e.item, e.place, 'items[' || e.place - 1 || ']' as path, known.product,
          (known.product ->> 'price')::numeric as price, (e.item ->> 'quantity')::int as quantity,
          case when known.product -> 'deliveryFields' <> '[]' then core.delivery_data_errors(
            known.product -> 'deliveryFields', e.item -> 'deliveryData', 'items[' || e.place - 1 || '].deliveryData')
          else '[]' end as errors
        from jsonb_array_elements(r -> 'items') with ordinality as e (item, place)
        left join lateral (
          select p as product from (select products -> (e.item ->> 'productId')::numeric::bigint::text as p offset 0) as named
          where p ->> 'currency' = account.currency
        ) as known on true
        offset 0
      ) as i
    ) as priced);
end
$$;
comment on function core.judge_orders is
  'What becomes of order requests, but for the balance, in the documented order of checks: each entry, by account and ordinal, with its items as '
  'repeats are compared, without caps, and a result: created with what it is to be written with, replayed with its order, or a refusal with its details, which name every item '
  'at fault. The caller holds the locks of the accounts. An entry without idempotencyKey asks for a quote: it needs no lock, is no repeat, and '
  'has its items with their prices and the total also where it is refused. Specification 3 and 4.';
