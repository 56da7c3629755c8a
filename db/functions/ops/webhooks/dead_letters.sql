create or replace view ops.dead_letters as
select e.id as event_id, e.order_code, e.account_id, e.event_type, e.callback_url, e.dead_reason as reason, e.attempts,
  e.dead_at, e.round,
  (
    select a.status_code from supply.delivery_attempts a
    where a.event_id = e.id and a.round = e.round and a.attempt = e.attempts) as status_code,
  (
    select a.error from supply.delivery_attempts a
    where a.event_id = e.id and a.round = e.round and a.attempt = e.attempts) as error
from supply.events e
where e.state = 'dead' and not e.simulated;
comment on view ops.dead_letters is
  'The present dead letters: ops.redeliver and ops.redeliver_all send them again. Partners'' sample events are not
included.';
comment on column ops.dead_letters.reason is 'attempts_exhausted, http_4xx, http_3xx, invalid_url, blocked_address.';
