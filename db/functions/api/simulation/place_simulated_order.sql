create or replace function api.place_simulated_order(request jsonb, courses jsonb)
returns table (result text, retry_after int, body json)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  max_codes constant int := 1000;
  max_kept constant int := 1000;
  asked constant supply.order_request := jsonb_populate_record(null::supply.order_request, request);
  -- Its key is one among simulated orders: among the real ones it is no key.
  decision supply.order_decision := core.decide_orders(array[
    jsonb_populate_record(asked, '{"idempotency_key": null}')]);
  refused record;
  placed supply.simulated_orders;
begin
  -- Not the account's row: simulated orders must not delay orders.
  perform core.count_hits('simulated orders', array[asked.account_id::text], '{0}', '{60}');
  select o.* into placed from supply.simulated_orders o
  where o.account_id = asked.account_id and o.idempotency_key = asked.idempotency_key
    and decision.result <> 'UNAUTHORIZED';
  if found then
    decision.order_code := placed.code;
    decision.differing := core.differing_fields(
      asked, decision.request_items, placed.external_order_id, placed.callback_url, placed.request_items);
    if decision.differing = '{}' then
      return query select 'replayed', null::int, core.simulated_order_json(placed);
      return;
    end if;
    decision.result := 'IDEMPOTENCY_KEY_REUSED';
  end if;
  -- It spends nothing.
  if decision.result not in ('created', 'SPENDING_LIMIT', 'INSUFFICIENT_BALANCE') then
    return query select decision.result::text, null::int, r.body from core.refusals_json(array[decision]) r;
    return;
  end if;
  if (select sum(i.quantity::bigint) from unnest(decision.items) as i where i.delivery_type = 'key') > max_codes then
    return query select 'QUANTITY_OUT_OF_RANGE', null::int, json_build_object('details', json_build_array(
      json_build_object(
        'path', 'items', 'message', format('must not ask for more than %s keys in a simulation', max_codes))));
    return;
  end if;
  select r.refusal, r.retry_after into refused from core.simulation_refusal(asked.account_id) r;
  if refused.refusal is not null then
    return query select refused.refusal, refused.retry_after, '{}'::json;
    return;
  end if;

  perform core.count_hits('simulated orders', array[asked.account_id::text], '{1}', '{60}');
  insert into supply.simulated_orders as o
    (code, account_id, idempotency_key, external_order_id, callback_url, request_items, total_amount, currency,
     parts, due_at)
  values ('sim_' || replace(gen_random_uuid()::text, '-', ''), asked.account_id, asked.idempotency_key,
    asked.external_order_id, asked.callback_url, decision.request_items, decision.total, decision.currency,
    core.simulated_parts(decision.items, courses), (
      select case
        when bool_and(c ->> 'seconds' is not null) then now() + max((c ->> 'seconds')::int) * interval '1 s' end
      from jsonb_array_elements(courses) as c))
  returning o.* into placed;
  if placed.due_at is not null then
    perform core.enqueue('settle_simulation', array[placed.id], array[placed.due_at], 'settle_simulation');
  end if;
  delete from supply.simulated_orders s
  where s.id = any (array(
    select o.id from supply.simulated_orders o where o.account_id = asked.account_id
    order by o.created_at desc offset max_kept for update skip locked));
  return query select 'created', null::int, core.simulated_order_json(placed);
end
$$;
comment on function api.place_simulated_order is
  'Places a simulated order, decided as an order but for balance and limits. courses, one an item: {seconds (null: never
ends), keys, topUp (results for either kind of product)}. Returns created or replayed with the order, or a refusal
with {details, orderCode} or with the seconds to wait (core.simulation_refusal). Keeps 1,000 an account.
takes: request supply.order_request
nullable: retry_after';
