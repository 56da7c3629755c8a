create or replace function api.quote_order(request jsonb)
returns table (result text, quote json, refusal json)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select judged.answer ->> 'result',
    json_build_object(
      'items', priced.items,
      'totalAmount', priced.total,
      'currency', a.currency,
      'balance', a.balance,
      'balanceAfter', a.balance - priced.total),
    case when judged.answer ->> 'result' = 'created' then '{}' else core.refusal_json(judged.answer) end
  from supply.accounts a
  -- Within the statement that shows the balance, so that it is judged by the same one.
  cross join lateral (
    select (core.spend_balances(core.judge_orders(jsonb_build_array(request))))[1] as answer offset 0) as judged
  cross join lateral (
    select
      json_agg(json_build_object(
        'productId', i.asked -> 'productId',
        'productName', i.offered -> 'productName',
        'quantity', i.asked -> 'quantity',
        'price', i.offered -> 'price',
        'total', (i.offered ->> 'price')::numeric * (i.asked ->> 'quantity')::int,
        'available', coalesce((i.offered ->> 'available')::boolean, false)) order by i.place) as items,
      case when bool_and(i.offered ->> 'price' is not null) then (judged.answer ->> 'total')::numeric end as total
    from (
      select e.asked, judged.answer -> 'priced' -> (e.place - 1)::int as offered, e.place
      from jsonb_array_elements(judged.answer -> 'items') with ordinality as e (asked, place) offset 0
    ) as i
  ) as priced
  where a.id = (request ->> 'accountId')::bigint;
end
$$;
comment on function api.quote_order is
  'What an order would cost and what would become of it, by the very judgement of api.place_orders; writes, locks and enqueues nothing. Takes '
  '{accountId, keyId, callbackUrl, callbackError, maxTotal, items: [{productId, quantity, deliveryData, maxPrice}]}, without a key, for a quote is no '
  'repeat. Gives created or the code of the refusal, the quote {items: [{productId, productName, quantity, price, total, available}], totalAmount, currency, '
  'balance, balanceAfter}, money in the account''s currency, null where a product is not known, and what the refusal would say ({details}), else {}. '
  'Specification 4.';
