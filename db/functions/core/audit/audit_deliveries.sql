create or replace view core.audit_deliveries as
with ladders as (
  select a.event_id, a.ladder, count(*) as attempts, max(a.attempt) as last_attempt,
    count(*) filter (where a.finished_at is null) as unfinished
  from supply.delivery_attempts a group by a.event_id, a.ladder
), events as (
  select e.*, coalesce(l.attempts, 0) as made, coalesce(l.unfinished, 0) as unfinished, last.outcome as last_outcome
  from supply.events e
  left join ladders l on l.event_id = e.id and l.ladder = e.ladder
  left join supply.delivery_attempts last
    on last.event_id = e.id and last.ladder = e.ladder and last.attempt = l.last_attempt
)
select 'ladder_has_nine_attempts_at_most' as check_name,
  format('event %s was tried %s times on ladder %s', l.event_id, l.attempts, l.ladder) as detail
from ladders l where l.attempts > 9 or l.last_attempt > 9
union all
select 'attempts_are_numbered_without_a_gap',
  format('event %s has %s attempts on ladder %s, but the last one is number %s', l.event_id, l.attempts, l.ladder, l.last_attempt)
from ladders l where l.attempts <> l.last_attempt
union all
select 'event_counts_its_attempts',
  format('event %s says %s attempts on ladder %s, but %s were made', e.id, e.attempts, e.ladder, e.made)
from events e where e.attempts <> e.made
union all
select 'ladder_belongs_to_its_event',
  format('event %s is on ladder %s, but was tried on ladder %s', e.id, e.ladder, l.ladder)
from ladders l join supply.events e on e.id = l.event_id where l.ladder > e.ladder
union all
select 'only_a_sending_event_has_an_attempt_under_way',
  format('event %s is %s, with %s attempts under way', e.id, e.state, e.unfinished)
from events e where e.unfinished <> case e.state when 'sending' then 1 else 0 end
union all
select 'delivered_event_was_delivered',
  format('event %s is delivered, but its last attempt was %s', e.id, coalesce(e.last_outcome, 'never made'))
from events e where e.state = 'delivered' and e.last_outcome is distinct from 'delivered';
comment on view core.audit_deliveries is 'What is wrong with the deliveries of events: no row while all is well.';
comment on column core.audit_deliveries.check_name is 'Which invariant does not hold.';
comment on column core.audit_deliveries.detail is 'Where, and how.';
