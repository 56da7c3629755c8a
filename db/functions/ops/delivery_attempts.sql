create or replace view ops.delivery_attempts as
select
  a.event_id,
  a.attempt,
  a.started_at,
  a.finished_at,
  a.status_code,
  a.error,
  a.outcome,
  a.retry_after_seconds,
  a.next_attempt_at,
  a.ladder
from supply.delivery_attempts a;
comment on view ops.delivery_attempts is 'Every attempt to deliver an event, written before the send.';
comment on column ops.delivery_attempts.event_id is 'The event.';
comment on column ops.delivery_attempts.attempt is 'The attempt on its ladder, 1 to 9.';
comment on column ops.delivery_attempts.started_at is 'When it began.';
comment on column ops.delivery_attempts.finished_at is
  'When it ended; of a lost one the end of its lease; null: under way.';
comment on column ops.delivery_attempts.status_code is 'The receiver''s HTTP status, if there was one.';
comment on column ops.delivery_attempts.error is 'What went wrong where there was no status.';
comment on column ops.delivery_attempts.outcome is 'delivered, retry, dead, or lost (its result is not known).';
comment on column ops.delivery_attempts.retry_after_seconds is
  'The receiver''s Retry-After, as clamped, where it counted.';
comment on column ops.delivery_attempts.next_attempt_at is 'When the next attempt was planned.';
comment on column ops.delivery_attempts.ladder is 'The run over the ladder, from 1.';
revoke all on ops.delivery_attempts from public;
grant select on ops.delivery_attempts to supply_operator;
