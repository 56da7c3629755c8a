create or replace function core.story_for_partner(order_id bigint)
returns table (
  at timestamptz, place int, what text, item_id uuid, amount numeric,
  round int, attempt int, status_code int, error text, next_attempt_at timestamptz
)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  most_rounds constant int := 20;
  placed supply.orders := (select o from supply.orders o where o.id = order_id);
  event supply.events := (select e from supply.events e where e.order_id = story_for_partner.order_id);
  -- A partner may begin one every minute, without end.
  first_round constant int := event.round - most_rounds + 1;
  item_ids uuid[] := array(select i.id from supply.order_items i where i.order_id = placed.id);
  ended_at timestamptz := case when placed.completed_at is not null
    then core.story_end(item_ids, placed.completed_at) end;
begin
  return query
  select placed.created_at, 0, 'placed', null::uuid, null::numeric, null::int, null::int, null::int, null::text,
    null::timestamptz
  union all
  select l.created_at, case l.type when 'order_charge' then 1 else 6 end,
    case l.type when 'order_charge' then 'charged' else 'refunded' end, l.item_id, abs(l.amount), null, null, null,
      null, null
  from (
    select l.* from supply.ledger l where l.order_id = placed.id
    union all
    select l.* from supply.ledger l where l.item_id = any (item_ids) and l.type = 'adjustment') as l
  union all
  -- To which supplier, and to how many, is not the partner's business. Of old items the calls are gone.
  select coalesce((
      select min(a.started_at) from supply.supplier_attempts a where a.item_id = i.id and a.method = 'put'), i.sent_at),
    2, 'sent_to_supplier', i.id, null, null, null, null, null, null
  from supply.order_items i where i.order_id = placed.id and i.part = 0 and i.sent_at is not null
  union all
  select core.story_end(array[whole.id], i.completed_at), 4, 'item_' || i.status, i.id, null, null, null, null, null,
    null
  from supply.order_items i
  join supply.order_items whole on whole.order_id = i.order_id and whole.position = i.position and whole.part = 0
  where i.order_id = placed.id and i.completed_at is not null
  union all
  select ended_at, 5, 'order_' || placed.status, null, null, null, null, null, null, null
  where ended_at is not null;

  if event.id is null then
    return;
  end if;
  return query
  select greatest(ended_at, event.created_at, (select max(l.created_at) from supply.ledger l
    where l.order_id = placed.id)), 7, 'event_created', null::uuid, null::numeric, null::int, null::int, null::int,
    null::text,
    null::timestamptz
  union all
  -- Rounds that operators began show with their first attempt.
  select coalesce(
      (select r.requested_at from supply.redelivery_requests r where r.event_id = event.id and r.round = n),
      (select min(a.started_at) from supply.delivery_attempts a where a.event_id = event.id and a.round = n)),
    8, 'round_started', null, null, n, null, null, null, null
  from generate_series(greatest(2, first_round), event.round) as n
  union all
  select a.started_at, 9, 'delivery_attempt', null, null, a.round, a.attempt, a.status_code,
    core.delivery_error(a.outcome, a.status_code, a.error), a.next_attempt_at
  from supply.delivery_attempts a where a.event_id = event.id and a.round >= first_round
  union all
  select a.finished_at, 10, case a.outcome when 'delivered' then 'delivered' else 'given_up' end, null, null, a.round,
    a.attempt, null, null, null
  from supply.delivery_attempts a where a.event_id = event.id and a.round >= first_round and a.finished_at is not null
    -- The ninth attempt may have been lost.
    and (a.outcome in ('delivered', 'dead') or a.attempt = 9 and a.outcome = 'lost');
end
$$;
comment on function core.story_for_partner is
  'What happened to an order, as far as its partner may know: no supplier, no text of a supplier or a receiver, no
operator; of the rounds of deliveries the last 20. place orders what happened at one moment. ops.order_story tells
operators all of it.';
