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
  'The events that are dead letters now: ops.redeliver and ops.redeliver_all send them again. Samples that a partner
asked for are left out.';
comment on column ops.dead_letters.order_code is 'The order.';
comment on column ops.dead_letters.account_id is 'The account.';
comment on column ops.dead_letters.callback_url is 'The address it could not be delivered to.';
comment on column ops.dead_letters.reason is 'attempts_exhausted, http_4xx, http_3xx, invalid_url, blocked_address.';
comment on column ops.dead_letters.attempts is 'How often it was tried in its last round.';
comment on column ops.dead_letters.round is 'The last round over the retry ladder, from 1.';
comment on column ops.dead_letters.status_code is 'The HTTP status of the last attempt, if there was one.';
comment on column ops.dead_letters.error is 'What went wrong in the last attempt.';
