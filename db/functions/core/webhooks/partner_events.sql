create or replace view core.partner_events as
select e.id as event_id, e.account_id, e.order_id, e.order_code, e.event_type, e.callback_url, e.created_at,
  case when e.state in ('queued', 'ready') then 'waiting' else e.state end as state,
  e.attempts, e.next_attempt_at, last.status_code as last_status,
  core.delivery_error(last.outcome, last.status_code, last.error_kind) as last_error
from supply.events e
left join lateral (
  select a.outcome, a.status_code, a.error_kind from supply.delivery_attempts a
  where a.event_id = e.id and a.finished_at is not null order by a.round desc, a.attempt desc limit 1) as last on true;
comment on view core.partner_events is
  'The events as partners read them, without their bodies. last_status and last_error are of the latest attempt that
ended, of any round.';
