create or replace function api.order_timeline(account_id bigint, code text)
returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  placed supply.orders := (
    select o from supply.orders o where o.id = core.own_order(order_timeline.account_id, order_timeline.code));
  event supply.events := (select e from supply.events e where e.order_id = placed.id);
  -- A partner may begin a round every minute, without end.
  first_round constant int := event.round - 19;
  item_ids uuid[] := array(select i.id from supply.order_items i where i.order_id = placed.id);
  ended_at timestamptz := case when placed.completed_at is not null
    then core.story_end(item_ids, placed.completed_at) end;
begin
  return (
    -- place orders what happened at one moment.
    with of_order (at, place, what, item_id, amount) as (
      select placed.created_at, 0, 'placed', null::uuid, null::numeric where placed.id is not null
      union all
      select l.created_at, case l.type when 'order_charge' then 1 else 6 end,
        case l.type when 'order_charge' then 'charged' else 'refunded' end, l.item_id, abs(l.amount)
      from (
        select l.* from supply.ledger l where l.order_id = placed.id
        union all
        select l.* from supply.ledger l where l.item_id = any (item_ids) and l.type = 'adjustment') as l
      union all
      -- The partner does not learn to which suppliers. The calls of old items are gone.
      select coalesce((
          select min(a.started_at) from supply.supplier_attempts a where a.item_id = i.id and a.method = 'put'),
        i.sent_at), 2, 'sent_to_supplier', i.id, null
      from supply.order_items i where i.order_id = placed.id and i.part = 0 and i.sent_at is not null
      union all
      select core.story_end(array[whole.id], i.completed_at), 4, 'item_' || i.status, i.id, null
      from supply.order_items i
      join supply.order_items whole on whole.order_id = i.order_id and whole.position = i.position and whole.part = 0
      where i.order_id = placed.id and i.completed_at is not null
      union all
      select ended_at, 5, 'order_' || placed.status, null, null
      union all
      select greatest(ended_at, event.created_at, (
        select max(l.created_at) from supply.ledger l where l.order_id = placed.id)), 7, 'event_created', null, null
      where event.id is not null
    ), of_event (at, place, what, round, attempt, status_code, error, next_attempt_at) as (
      select r.requested_at, 8, 'round_started', r.round, null::int, null::int, null::text, null::timestamptz
      from supply.redelivery_requests r where r.event_id = event.id and r.round >= first_round
      union all
      select a.started_at, 9, 'delivery_attempt', a.round, a.attempt, a.status_code,
        core.delivery_error(a.outcome, a.status_code, a.error_kind), a.next_attempt_at
      from supply.delivery_attempts a where a.event_id = event.id and a.round >= first_round
      union all
      select a.finished_at, 10, case a.outcome when 'delivered' then 'delivered' else 'given_up' end, a.round,
        a.attempt, null, null, null
      from supply.delivery_attempts a
      where a.event_id = event.id and a.round >= first_round and a.finished_at is not null
        -- The ninth attempt may have been lost.
        and (a.outcome in ('delivered', 'dead') or a.attempt = 9 and a.outcome = 'lost')
    )
    select json_build_object('code', placed.code, 'entries', json_agg(json_build_object(
      'at', core.iso(t.at), 'what', t.what, 'itemId', t.item_id, 'amount', t.amount, 'round', t.round,
      'attempt', t.attempt, 'status', t.status_code, 'error', t.error, 'nextAttemptAt', core.iso(t.next_attempt_at))
      order by t.at, t.place, t.item_id))
    from (
      select o.*, null::int as round, null::int as attempt, null::int as status_code, null::text as error,
        null::timestamptz as next_attempt_at
      from of_order o
      union all
      select e.at, e.place, e.what, null, null, e.round, e.attempt, e.status_code, e.error, e.next_attempt_at
      from of_event e
    ) as t
    where t.at is not null having placed.id is not null);
end
$$;
comment on function api.order_timeline is
  'What happened to an order of the account, in order of time, as far as the partner may know: no supplier, no text of a
supplier or a receiver, no operator; of the rounds of deliveries the last 20. Null if it has none with this code.';
