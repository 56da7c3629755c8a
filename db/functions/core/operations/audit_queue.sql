create or replace view core.audit_queue as
with calls as (
  select j.subject, min(j.run_at) as run_at, bool_and(j.locked_at is null and j.last_error is null) as is_untouched
  from core.jobs j where j.task = 'call_supplier' group by j.subject
), items as (
  select i.id, i.supplier, i.held_at, i.stuck_at, i.lease_expires_at, i.next_check_at, i.limited_rank, c.run_at,
    c.is_untouched
  from supply.order_items i left join calls c on c.subject = i.id
  -- Those that wait for a place have no jobs, and may be hundreds of thousands.
  where i.completed_at is null
    and (i.limited_rank is null or i.stuck_at is not null or i.held_at is not null
      or coalesce(i.next_check_at, 'infinity') > now() + interval '2 hours')
), deliveries as (
  select j.* from core.jobs j where j.task in ('deliver_webhook', 'deliver_waiting')
), planned as (
  select d.subject, min(d.run_at) as run_at,
    max(d.run_at) filter (where d.locked_at is null and d.last_error is null) as untouched_run_at,
    max(d.run_at) filter (where d.locked_at is null and d.attempts = 0) as new_run_at
  from deliveries d group by d.subject
), events as (
  select e.id, e.account_id, e.state, e.lease_expires_at, e.next_attempt_at, p.run_at, p.untouched_run_at, p.new_run_at
  from (
    select * from supply.events e where e.state = 'waiting'
    union all
    select * from supply.events e where e.state in ('ready', 'sending')
  ) as e
  left join planned p on p.subject = e.id
)
-- The job of a call ends while its result waits for a lock. If the worker dies then, work.resume_forgotten adds a job.
select 'open_item_has_a_job' as check_name,
  format('item %s at %s is open, but has neither a job nor a call under way', i.id, i.supplier) as detail,
  'item ' || i.id as subject
from items i
where i.held_at is null and i.run_at is null and i.limited_rank is null
  and (i.lease_expires_at is null or i.lease_expires_at <= now() - interval '90 s')
union all
select 'open_item_has_a_plan',
  format('item %s at %s is open, but its next call is not planned', i.id, i.supplier),
  'item ' || i.id
from items i where i.held_at is null and i.lease_expires_at is null and i.next_check_at is null
union all
-- The longest wait is the hour that a supplier may ask for.
select 'open_item_is_due_soon',
  format('item %s at %s: its lease ends at %s, its next call is planned for %s, and its next job is due at %s',
    i.id, i.supplier, i.lease_expires_at, i.next_check_at, i.run_at), 'item ' || i.id
from items i
where i.held_at is null and greatest(i.lease_expires_at, i.next_check_at, i.run_at) > now() + interval '2 hours'
union all
select 'overdue_item_has_a_due_job',
  format('item %s at %s was due at %s, but its next job runs at %s', i.id, i.supplier,
    coalesce(i.lease_expires_at, i.next_check_at), i.run_at), 'item ' || i.id
from items i
where i.held_at is null and i.limited_rank is null
  and coalesce(i.lease_expires_at, i.next_check_at) < now() - interval '30 s' and i.is_untouched
  and i.run_at > now() + interval '10 minutes'
union all
select 'waiting_item_gets_a_place',
  format('item %s has waited for a place at %s since %s, but only %s of its %s places are taken', i.id, c.supplier,
    i.limited_at, c.under_way + c.given, c.places), 'item ' || i.id
from core.places c
join supply.suppliers s on s.code = c.supplier
cross join lateral (
  select i.id, i.limited_at from supply.order_items i
  where i.supplier = s.code and i.limited_rank >= (s.paused_at is not null)::int and i.completed_at is null
    and i.limited_at < now() - interval '1 minute'
  order by i.limited_rank, i.limited_at limit 1
) as i
where c.under_way + c.given < c.places and s.per_minute is null
  -- They get places at the pace of core.fill_places.
  and not exists (
    select from supply.supplier_places p where p.supplier = s.code and p.free_at > now() - interval '5 s')
  and not exists (select from supply.origin o where o.moved_to is not null or o.lost <> '{}')
union all
select 'stuck_or_held_item_was_alerted',
  format('item %s at %s has been %s since %s, but raised no alert', i.id, i.supplier, waits.how, waits.since),
  'item ' || i.id
from items i
cross join lateral (values
  ('stuck', 'item_stuck'::supply.alert_kind, i.stuck_at), ('held', 'item_held', i.held_at)) as waits (how, kind, since)
where waits.since is not null and not exists (
  select from core.alerts a
  where a.kind = waits.kind
    -- Two transactions may record their times in the opposite order.
    and waits.since between a.first_at - interval '1 minute' and a.last_at + interval '1 minute')
union all
select 'open_event_has_a_job',
  format('event %s is %s, but has no job', e.id, e.state), 'event ' || e.id
from events e where e.state = 'waiting' and e.run_at is null
union all
select 'overdue_event_has_a_due_job',
  format('event %s was due at %s, but its next job runs at %s', e.id, e.next_attempt_at, e.untouched_run_at),
  'event ' || e.id
from events e
where e.state = 'waiting' and e.next_attempt_at < now() - interval '30 s'
  and e.untouched_run_at > now() + interval '10 minutes'
union all
-- The longest wait is the last rung.
select 'open_event_is_due_soon',
  format('event %s is %s: its lease ends at %s, its next attempt is planned for %s, and its next job is due at %s',
    e.id, e.state, e.lease_expires_at, e.next_attempt_at, e.run_at), 'event ' || e.id
from events e
where greatest(e.lease_expires_at, e.next_attempt_at, e.run_at) > now() + interval '25 hours'
union all
select 'lost_attempt_has_a_due_job',
  format('the lease of event %s ended at %s, but its next job runs at %s', e.id, e.lease_expires_at, e.new_run_at),
  'event ' || e.id
from events e
where e.state = 'sending' and e.new_run_at > greatest(now(), e.lease_expires_at) + interval '5 minutes'
union all
select 'slot_is_used',
  format('event %s of account %s has a slot, but no worker leased it before %s', e.id, e.account_id,
    e.lease_expires_at), 'event ' || e.id
from events e where e.state = 'ready' and e.lease_expires_at < now() - interval '50 s'
union all
select 'attempt_ends_with_its_lease',
  format('the lease of event %s ended at %s, but its attempt did not end', e.id, e.lease_expires_at),
  'event ' || e.id
from events e where e.state = 'sending' and e.lease_expires_at < now() - interval '50 s'
union all
select 'queued_event_waits_for_a_slot',
  format('event %s has been due since %s, but account %s uses only %s of its %s slots', e.id, e.next_attempt_at,
    e.account_id, e.taken, e.slots), 'event ' || e.id
from (
  select e.*, s.slots, coalesce((s.slow_hosts ->> e.host)::int, s.slots) as host_slots, t.*
  from (
    select distinct on (e.account_id, e.host) e.id, e.account_id, e.host, e.next_attempt_at from supply.events e
    where e.state = 'queued' order by e.account_id, e.host, e.next_attempt_at, e.id) as e
  join supply.delivery_slots s on s.account_id = e.account_id
  cross join lateral (
    select count(*) as taken, count(*) filter (where t.host = e.host) as host_taken, coalesce(sum(t.bytes), 0) as bytes
    from core.taken_slots t where t.account_id = e.account_id) as t
) as e
where e.taken < e.slots and e.host_taken < e.host_slots
  and e.bytes < (select l.bytes_per_account from core.delivery_limits l)
  and e.next_attempt_at < now() - interval '1 minute'
union all
select 'dead_letter_has_no_plan',
  format('event %s is a dead letter, but an attempt is planned at %s', e.id, j.run_at),
  'event ' || e.id
from supply.events e join deliveries j on j.subject = e.id
-- A job from before the last attempt, or one that is due, finds nothing to do and is deleted.
where e.state = 'dead' and j.locked_at is null and j.attempts = 0 and j.run_at > now() + interval '1 minute'
  and j.updated_at >= (select max(a.started_at) from supply.delivery_attempts a where a.event_id = e.id)
union all
select 'alert_has_a_job',
  format('alert %s (%s) was not sent, but has no job', a.id, a.cause), 'alert ' || a.id
from core.alerts a
where a.is_counted and (a.sent_at is null or a.closed_at is not null and a.end_sent_at is null)
  and not exists (select from core.jobs j where j.task = 'alert_operators' and j.subject = a.id)
union all
select 'job_may_still_run',
  format('job %s (%s %s) ran %s times and will not run again: %s', j.id, j.task, j.subject, j.attempts,
    j.last_error), 'job ' || j.id
from core.jobs j
where j.attempts >= j.max_attempts and j.locked_at is null
  -- A later job that took the key of this one while it ran makes it the last of its attempts.
  and not (j.key is null and j.subject is not null and (
    exists (select from core.jobs later where later.subject = j.subject and later.id <> j.id
      and later.attempts < later.max_attempts)
    or exists (select from supply.order_items i where i.id = j.subject and i.completed_at is not null)
    or exists (select from supply.events e where e.id = j.subject and e.state in ('delivered', 'dead'))))
union all
select 'job_does_not_fail_again_and_again',
  format('job %s (%s %s) ran %s times: %s', j.id, j.task, j.subject, j.attempts, j.last_error),
  'job ' || j.id
from core.jobs j where j.attempts between 10 and j.max_attempts - 1 and j.last_error is not null
union all
select 'locked_job_has_a_living_worker',
  format('job %s (%s %s) has been locked since %s by %s, which sends no heartbeat', j.id, j.task, j.subject,
    j.locked_at, j.locked_by), 'job ' || j.id
from core.jobs j
where j.locked_at < now() - interval '5 minutes' and not exists (
  select from supply.worker_pools p where p.pool_id = j.locked_by and p.seen_at > now() - interval '5 minutes')
union all
-- The lease of a call ends after 45 s. A crash of the server may lose the end of its job, which is found 15 s later.
select 'locked_job_is_known_to_its_worker',
  format('job %s (%s %s) has been locked since %s by %s, which does not know it', j.id, j.task, j.subject,
    j.locked_at, j.locked_by), 'job ' || j.id
from supply.worker_pools p
join core.jobs j on j.id = any (p.lost_jobs) and j.locked_by = p.pool_id
where p.lost_jobs <> '{}' and j.locked_at < now() - interval '90 s'
  -- The list of a worker that hangs or died is outdated. The sweeper frees the jobs of a dead worker.
  and p.seen_at > now() - interval '15 s';
comment on view core.audit_queue is
  'The rows of ops.audit about the queue, and about the open items, events and alerts that must have jobs.';
