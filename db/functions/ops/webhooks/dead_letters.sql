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
comment on column ops.dead_letters.order_code is 'The order''s code.';
comment on column ops.dead_letters.account_id is 'The account.';
comment on column ops.dead_letters.callback_url is 'The address at which the delivery failed.';
comment on column ops.dead_letters.reason is 'attempts_exhausted, http_4xx, http_3xx, invalid_url, blocked_address.';
comment on column ops.dead_letters.attempts is 'The attempts of its last round.';
comment on column ops.dead_letters.round is 'The last round over the retry ladder, from 1.';
comment on column ops.dead_letters.status_code is 'The HTTP status of the last attempt, if there was one.';
comment on column ops.dead_letters.error is 'The error of the last attempt.';
