create or replace view ops.dead_letters as
select
  e.id as event_id,
  e.order_code,
  e.account_id,
  e.event_type,
  e.callback_url,
  e.dead_reason as reason,
  e.attempts,
  e.dead_at,
  e.ladder,
  (
    select a.status_code from supply.delivery_attempts a
    where a.event_id = e.id and a.ladder = e.ladder and a.attempt = e.attempts) as status_code,
  (
    select a.error from supply.delivery_attempts a
    where a.event_id = e.id and a.ladder = e.ladder and a.attempt = e.attempts) as error
from supply.events e
where e.state = 'dead' and not e.simulated;
comment on view ops.dead_letters is
  'The events that are dead letters now: ops.redeliver and ops.redeliver_all send them again. Samples that a '
  'partner asked for are left out.';
comment on column ops.dead_letters.order_code is 'The order.';
comment on column ops.dead_letters.account_id is 'The account.';
comment on column ops.dead_letters.callback_url is 'Where it was to go.';
comment on column ops.dead_letters.reason is 'attempts_exhausted, http_4xx, http_3xx, invalid_url, blocked_address.';
comment on column ops.dead_letters.attempts is 'How often it was tried on its last ladder.';
comment on column ops.dead_letters.ladder is 'Which run over the retry ladder that was.';
comment on column ops.dead_letters.status_code is 'The HTTP status of the last attempt, if there was one.';
comment on column ops.dead_letters.error is 'What went wrong in the last attempt.';
