create or replace function api.place_simulated_order(request jsonb)
returns table (result text, retry_after int, body json)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  most_codes constant int := 1000;
  most_kept constant int := 1000;
  account constant bigint := (request ->> 'accountId')::bigint;
  -- Without its key it is judged as a quote.
  judged constant jsonb := (core.judge_orders(jsonb_build_array(request - 'idempotencyKey')))[1];
  repeat jsonb;
  refused record;
  placed supply.simulated_orders;
begin
  if judged ->> 'result' = 'UNAUTHORIZED' then
    return query select 'UNAUTHORIZED', null::int, '{}'::json;
    return;
  end if;
  -- Not the account's row: test drives must not delay orders.
  perform pg_advisory_xact_lock(hashtextextended('simulated orders of account ' || account, 0));
  select o.* into placed from supply.simulated_orders o
  where o.account_id = account and o.idempotency_key = request ->> 'idempotencyKey';
  if found then
    repeat := core.answer_repeat(jsonb_build_object('orderCode', placed.code, 'items', placed.request_items,
      'externalOrderId', placed.external_order_id, 'callbackUrl', placed.callback_url), judged);
    return query select repeat ->> 'result', null::int, case repeat ->> 'result'
      when 'replayed' then core.simulated_order_json(placed)
      else core.refusal_json(repeat) end;
    return;
  end if;
  if judged ->> 'result' <> 'created' then
    return query select judged ->> 'result', null::int, core.refusal_json(judged);
    return;
  end if;
  if (select sum((p ->> 'amount')::bigint) from jsonb_array_elements(judged -> 'priced') p where p ->> 'deliveryType' = 'key') > most_codes then
    return query select 'QUANTITY_OUT_OF_RANGE', null::int, json_build_object('details', json_build_array(json_build_object(
      'path', 'items', 'message', format('must not ask for more than %s keys in a simulation', most_codes))));
    return;
  end if;
  select r.refusal, r.retry_after into refused from core.simulation_refusal(account) r;
  if refused.refusal is not null then
    return query select refused.refusal, refused.retry_after, '{}'::json;
    return;
  end if;

  insert into supply.simulated_orders as o
    (code, account_id, idempotency_key, external_order_id, callback_url, request_items, total_amount, currency, payment_code, items, due_at)
  select 'sim_' || replace(gen_random_uuid()::text, '-', ''), account, request ->> 'idempotencyKey', request ->> 'externalOrderId',
    request ->> 'callbackUrl', judged -> 'items', (judged ->> 'total')::numeric, judged ->> 'currency',
    'sim_pay_' || replace(gen_random_uuid()::text, '-', ''),
    jsonb_agg(jsonb_build_object(
      'id', item.id, 'productId', p -> 'productId', 'productName', p -> 'productName', 'amount', p -> 'amount', 'price', p -> 'price',
      'seconds', item.course -> 'seconds',
      'parts', core.simulated_parts(item.id, (p ->> 'amount')::int, p ->> 'deliveryType' = 'key',
        item.course -> case p ->> 'deliveryType' when 'key' then 'keys' else 'topUp' end)) order by (p ->> 'position')::int),
    now() + min((item.course ->> 'seconds')::int) * interval '1 s'
  from jsonb_array_elements(judged -> 'priced') as p
  cross join lateral (
    select gen_random_uuid() as id, request #> array['items', p ->> 'position', 'course'] as course offset 0) as item
  returning o.* into placed;
  if placed.due_at is not null then
    perform core.enqueue('settle_simulation', array[placed.id], array[placed.due_at], 'settle_simulation');
  end if;
  delete from supply.simulated_orders s
  where s.id = any (array(
    select o.id from supply.simulated_orders o where o.account_id = account order by o.created_at desc offset most_kept for update skip locked));
  return query select 'created', null::int, core.simulated_order_json(placed);
end
$$;
comment on function api.place_simulated_order is
  'Places a simulated order: judged as api.place_orders judges, by the same functions, but for the balance, and written apart; it reaches no supplier '
  'and no ledger. Takes a request as that does, each item with its course: {seconds (until it ends; null: never), keys, topUp (the result, for either kind '
  'of product: {status, codes, errorCode, reason})}. Gives created or replayed with the order, a refusal''s code with {details, orderCode}, or what '
  'core.simulation_refusal says with the seconds after which to ask again. Of an account 1,000 are kept.
nullable: retry_after';
