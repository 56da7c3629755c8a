create or replace view ops.events as
select e.id as event_id, e.order_code, e.account_id, e.event_type, e.callback_url,
  case when e.state in ('queued', 'ready') then 'waiting' else e.state end as state, e.attempts, e.next_attempt_at,
  e.created_at, e.round, e.simulated, case when e.state = 'sending' then e.lease_expires_at end as lease_expires_at,
  e.delivered_at, e.dead_at, e.dead_reason, e.state = 'queued' as queued,
  (
    select max(r.requested_at) from supply.redelivery_requests r where r.event_id = e.id and r.key_id is not null
  ) as redelivery_requested_at
from supply.events e;
comment on view ops.events is
  'The webhook events and the progress of their delivery. Their bodies, which may contain codes, are not shown.';
comment on column ops.events.event_id is 'The event_id, the same on every attempt.';
comment on column ops.events.state is 'waiting, sending, delivered, dead, held (since a restore).';
comment on column ops.events.lease_expires_at is 'When the lease of the attempt under way ends, while sending.';
comment on column ops.events.queued is 'Whether it is due and waits for one of its account''s slots.';
comment on column ops.events.redelivery_requested_at is 'When the partner last requested a redelivery.';
