create or replace function core.refusals_json(decisions supply.order_decision[])
returns table (ordinal int, body json)
language plpgsql stable strict set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select (d.request).ordinal, case d.result
    when 'busy' then '{}'
    when 'UNAUTHORIZED' then '{}'
    when 'IDEMPOTENCY_KEY_REUSED' then json_build_object('details', (
      select json_agg(json_build_object('path', f, 'message', 'differs from the order made with this key'))
      from unnest(d.differing) as f), 'orderCode', d.order_code)
    when 'INVALID_CALLBACK_URL' then json_build_object('details', json_build_array(
      json_build_object('path', 'callbackUrl', 'message', (d.request).callback_error)))
    when 'SPENDING_LIMIT' then json_build_object('details', json_build_object(
      'limit', (d.exceeded).amount, 'spent', (d.exceeded).spent, 'required', d.total, 'per', (d.exceeded).per,
      'scope', (d.exceeded).scope, 'resetsAt', core.iso((d.exceeded).resets_at), 'currency', d.currency))
    when 'INSUFFICIENT_BALANCE' then json_build_object('details', json_build_object(
      'balance', d.balance, 'required', d.total, 'currency', d.currency))
    else json_build_object('details', (
      select json_agg(json_strip_nulls(json_build_object('path', f.path, 'message', f.message, 'price', f.price)))
      from (
        select f.* from unnest(d.items) as i cross join lateral unnest(i.faults) as f where f.result = d.result
        union all
        select null, 'items', 'the keys of one order must be at most 10000 in all; these are '
          || sum(i.quantity::bigint), null
        from unnest(d.items) as i where d.result = 'QUANTITY_OUT_OF_RANGE' and i.delivery_type = 'key'
        having sum(i.quantity::bigint) > 10000
        union all
        select null, 'maxTotal', 'the total is now ' || d.total, d.total
        where d.result = 'PRICE_CHANGED' and d.total > (d.request).max_total
      ) as f))
    end
  from unnest(decisions) as d;
end
$$;
comment on function core.refusals_json is
  'Returns what the response to each of these refused requests holds besides the code: {details, orderCode}.';
