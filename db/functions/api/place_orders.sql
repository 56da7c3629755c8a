create or replace function api.place_orders(requests jsonb)
returns table (ordinal int, result text, body json)
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  answers jsonb[];
begin
  perform 1 from supply.accounts a
  where a.id = any (array(select (r ->> 'accountId')::bigint from jsonb_array_elements(requests) r))
  order by a.id for no key update;

  answers := core.spend_balances(core.judge_orders(requests));
  perform core.enqueue('call_supplier', core.write_orders(array(select a from unnest(answers) as a where a ->> 'result' = 'created')));

  return query
  select (a ->> 'ordinal')::int, a ->> 'result', case a ->> 'result'
    when 'created' then rendered.body
    when 'replayed' then rendered.body
    when 'UNAUTHORIZED' then '{}'
    when 'INSUFFICIENT_BALANCE' then json_build_object('details', json_build_object(
      'balance', a -> 'balance', 'required', a -> 'total', 'currency', a -> 'currency'))
    when 'IDEMPOTENCY_KEY_REUSED' then json_build_object('details', a -> 'details', 'orderCode', a -> 'orderCode')
    else json_build_object('details', a -> 'details')
  end
  from core.orders_json(array(
    select case when b ->> 'result' in ('created', 'replayed') then (b ->> 'orderId')::bigint end from unnest(answers) as b), true) as rendered
  cross join lateral (select answers[rendered.place] as a offset 0) as answer;
end
$$;
comment on function api.place_orders is
  'Places many orders in one transaction and answers each by its ordinal; one refusal never touches another order. '
  'Takes [{ordinal, accountId, keyId, idempotencyKey, externalOrderId, callbackUrl, callbackError, maxTotal, '
  'items: [{productId, quantity, deliveryData, maxPrice}]}], money in the account''s currency. Gives created or replayed with the '
  'order, or a refusal''s code with {details, orderCode}. An accepted order is written with its charge, ledger row and jobs. '
  'Specification 3 and 4.';
