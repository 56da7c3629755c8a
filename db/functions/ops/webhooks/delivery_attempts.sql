create or replace view ops.delivery_attempts as
select a.event_id, a.attempt, a.started_at, a.finished_at, a.status_code, a.error, a.outcome, a.retry_after_seconds,
  a.next_attempt_at, a.round, a.error_kind
from supply.delivery_attempts a;
comment on view ops.delivery_attempts is 'All attempts to deliver events. Each is written before it is sent.';
