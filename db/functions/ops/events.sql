create or replace view ops.events as
select
  e.id as event_id,
  e.order_code,
  e.account_id,
  e.event_type,
  e.callback_url,
  case when e.state in ('queued', 'ready') then 'waiting' else e.state end as state,
  e.attempts,
  e.next_attempt_at,
  e.created_at,
  e.ladder,
  e.simulated,
  case when e.state = 'sending' then e.claim_expires_at end as claim_expires_at,
  e.delivered_at,
  e.dead_at,
  e.dead_reason,
  e.state = 'queued' as queued
from supply.events e;
comment on view ops.events is
  'The webhook events, and how far each is with its delivery. Their bodies, which may hold keys, are not shown.';
comment on column ops.events.event_id is 'The event_id, the same on every attempt.';
comment on column ops.events.order_code is 'The order.';
comment on column ops.events.account_id is 'Whose secret signs it.';
comment on column ops.events.event_type is 'order.completed or order.failed.';
comment on column ops.events.callback_url is 'Where it goes.';
comment on column ops.events.state is 'waiting, sending, delivered, dead.';
comment on column ops.events.attempts is 'Attempts begun on the present ladder: nine at most.';
comment on column ops.events.next_attempt_at is 'When the next attempt of a waiting event is due, or was.';
comment on column ops.events.created_at is 'When the order ended.';
comment on column ops.events.ladder is 'Which run over the retry ladder this is; a redelivery starts the next.';
comment on column ops.events.simulated is 'True for a sample that a partner asked for.';
comment on column ops.events.claim_expires_at is 'Until when the attempt under way may take, while sending.';
comment on column ops.events.delivered_at is 'When a receiver took it.';
comment on column ops.events.dead_at is 'When it became a dead letter.';
comment on column ops.events.dead_reason is 'Why it is a dead letter.';
comment on column ops.events.queued is 'True while it is due and waits for one of its account''s slots.';
revoke all on ops.events from public;
grant select on ops.events to supply_operator;
