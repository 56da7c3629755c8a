create or replace view ops.dead_letters as
select e.id as event_id, e.order_code, e.account_id, e.event_type, e.callback_url, e.dead_reason as reason, e.attempts,
  e.dead_at, e.round, last.status_code, last.error
from core.dead_letters e
left join supply.delivery_attempts last on last.event_id = e.id and last.round = e.round and last.attempt = e.attempts;
comment on view ops.dead_letters is
  'The present dead letters: ops.redeliver and ops.redeliver_all send them again. Partners'' sample events are not
included.';
comment on column ops.dead_letters.reason is 'attempts_exhausted, http_4xx, http_3xx, invalid_url, blocked_address.';
