create or replace function api.place_orders(requests jsonb)
returns table (ordinal int, result text, body json)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  busy_accounts bigint[];
  answers jsonb[];
begin
  select array_agg(asked.id) into busy_accounts
  from (select distinct (r ->> 'accountId')::bigint as id from jsonb_array_elements(requests) r order by id) as asked
  left join lateral (
    select a.id from supply.accounts a where a.id = asked.id for no key update skip locked) as locked on true
  where locked.id is null;
  if busy_accounts is not null then
    return query
    select (r ->> 'ordinal')::int, 'busy', '{}'::json
    from jsonb_array_elements(requests) r where (r ->> 'accountId')::bigint = any (busy_accounts);
    requests := (
      select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(requests) r where (r ->> 'accountId')::bigint <> all (busy_accounts));
    if requests = '[]' then
      return;
    end if;
  end if;

  answers := core.spend_balances(core.judge_orders(requests));
  perform core.enqueue('call_supplier', core.write_orders(array(select a from unnest(answers) as a where a ->> 'result' = 'created')));

  return query
  select (a ->> 'ordinal')::int, a ->> 'result',
    case when a ->> 'result' in ('created', 'replayed') then rendered.body else core.refusal_json(a) end
  from core.orders_json(array(
    select case when b ->> 'result' in ('created', 'replayed') then (b ->> 'orderId')::bigint end from unnest(answers) as b), true) as rendered
  cross join lateral (select answers[rendered.place] as a offset 0) as answer;
end
$$;
comment on function api.place_orders is
  'Places many orders in one transaction and answers each by its ordinal; one refusal never touches another order. '
  'Takes [{ordinal, accountId, keyId, requestId, requestIdGiven, traceparent, idempotencyKey, externalOrderId, callbackUrl, callbackError, maxTotal, '
  'items: [{productId, quantity, deliveryData, maxPrice}]}], money in the account''s currency. Gives created or replayed with the '
  'order, a refusal''s code with {details, orderCode}, or busy, of which nothing was done: another transaction has the lock of the account. '
  'A repeat keeps what its first request is known by. An accepted order is written with its charge, ledger row and jobs. Specification 3 and 4.';
