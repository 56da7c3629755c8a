create or replace view core.audit_deliveries as
with audited as (
  select e.id, e.order_id, e.order_code, e.account_id, e.event_type, e.callback_url, e.state, e.round, e.attempts,
    e.created_at
  from core.audit_scope s
  cross join lateral (
    select * from supply.events e where e.order_id > s.after and e.order_id <= s.up_to offset 0) as e
  union all
  select e.id, null, e.order_code, e.account_id, e.event_type, e.callback_url, e.state, e.round, e.attempts,
    e.created_at
  from supply.events e where e.order_id is null
), rounds as (
  select a.event_id, a.round, count(*) as attempts, max(a.attempt) as last_attempt,
    count(*) filter (where a.finished_at is null) as unfinished,
    (array_agg(a.outcome order by a.attempt desc))[1] as last_outcome
  from audited e join supply.delivery_attempts a on a.event_id = e.id group by a.event_id, a.round
), kept as (
  -- Attempts of older events may have been removed.
  select coalesce(max(h.removed_before), '-infinity') as since from supply.housekeeping h
  where h.what = 'delivery attempts'
), events as (
  select e.*, e.created_at < k.since as may_lack, coalesce(r.attempts, 0) as made,
    coalesce(r.unfinished, 0) as unfinished, r.last_outcome
  from audited e
  cross join kept k
  left join rounds r on r.event_id = e.id and r.round = e.round
)
select 'attempts_are_numbered_without_a_gap' as check_name,
  format('event %s has %s attempts in round %s, but the last one is number %s', r.event_id, r.attempts, r.round,
    r.last_attempt) as detail, 'event ' || r.event_id as subject
from rounds r join events e on e.id = r.event_id where r.attempts <> r.last_attempt and not e.may_lack
union all
select 'round_belongs_to_its_event',
  format('event %s is in round %s, but has attempts in round %s', e.id, e.round, r.round),
  'event ' || e.id
from rounds r join events e on e.id = r.event_id where r.round > e.round
union all
select 'event_counts_its_attempts',
  format('event %s counts %s attempts in round %s, but has %s', e.id, e.attempts, e.round, e.made),
  'event ' || e.id
from events e where e.attempts < e.made or e.attempts > e.made and not e.may_lack
union all
select 'only_a_sending_event_has_an_attempt_under_way',
  format('event %s is %s, but has %s attempts under way', e.id, e.state, e.unfinished),
  'event ' || e.id
from events e
where e.unfinished <> case e.state when 'sending' then 1 else 0 end
union all
select 'delivered_event_was_delivered',
  format('event %s is delivered, but its last attempt was %s', e.id, coalesce(e.last_outcome, 'not made')),
  'event ' || e.id
from events e
where e.state = 'delivered' and e.last_outcome is distinct from 'delivered' and not (e.made = 0 and e.may_lack)
union all
select 'event_has_its_order',
  format('event %s (%s) is about order %s, which is %s (%s) with the callback URL %s',
    e.id, e.event_type, o.code, o.status, coalesce(o.outcome, 'open'), coalesce(o.callback_url, 'none')),
  'event ' || e.id
from audited e join supply.orders o on o.id = e.order_id
where o.outcome is null or o.outcome = 'partial' or o.callback_url is null
  or (e.event_type, e.order_code, e.account_id) is distinct from ('order.' || o.status, o.code, o.account_id)
  -- A redelivery, which begins a new round, may go to another address.
  or e.round = 1 and e.callback_url <> o.callback_url
union all
select 'held_event_belongs_to_an_open_recovery', format('event %s is held, but no recovery is open', e.id),
  'event ' || e.id
from supply.events e
-- work.fill_slots sends those of orders that ended together with the recovery.
where e.state = 'held' and not exists (
  select from supply.recoveries r where coalesce(r.ended_at > now() - interval '1 minute', true));
comment on view core.audit_deliveries is
  'The rows of ops.audit about the events of orders within core.audit_scope, all samples, and their attempts.';
