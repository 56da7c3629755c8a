create or replace function api.order_timeline(account_id bigint, code text)
returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  order_id bigint := core.own_order(order_timeline.account_id, order_timeline.code);
begin
  return (
    select json_build_object('code', order_timeline.code, 'entries', json_agg(json_build_object(
      'at', core.iso(h.at), 'what', h.step, 'itemId', h.item_id, 'amount', h.amount, 'round', h.round,
      'attempt', h.attempt, 'status', h.status_code, 'error', h.error, 'nextAttemptAt', core.iso(h.next_attempt_at))
      order by h.at, h.step, h.item_id))
    from (
      select o.at, o.step, o.item_id, o.amount, null::int as round, null::int as attempt, null::int as status_code,
        null::text as error, null::timestamptz as next_attempt_at
      from core.history_of_order(order_id) o where o.step <> 'no_event'
      union all
      -- The partner does not learn to which suppliers.
      select min(i.at), i.step, i.item_id, null, null, null, null, null, null
      from core.history_of_items(order_id) i
      join supply.order_items whole on whole.id = i.item_id
      where i.step in ('sent_to_supplier', 'item_completed', 'item_failed') and whole.sent_at is not null
      group by i.step, i.item_id
      union all
      -- A partner may begin a round every minute, without end.
      select d.at, d.step, null, null, d.round, d.attempt, d.status_code, d.error, d.next_attempt_at
      from core.history_of_deliveries(order_id, rounds => 20) d
    ) as h
    having order_id is not null);
end
$$;
comment on function api.order_timeline is
  'What happened to an order of the account, in order of time, as far as the partner may know: no supplier, no text of a
supplier or a receiver, no operator; of the rounds of deliveries the last 20. Null if it has none with this code.';
