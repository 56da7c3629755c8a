create or replace view core.partner_events as
select e.id as event_id, e.account_id, e.order_id, e.order_code, e.event_type, e.callback_url, e.created_at,
  case when e.state in ('queued', 'ready') then 'waiting' else e.state end as state,
  e.attempts, e.next_attempt_at, last.status_code as last_status,
  core.delivery_error(last.outcome, last.status_code, last.error) as last_error
from supply.events e
left join lateral (
  select a.outcome, a.status_code, a.error from supply.delivery_attempts a
  where a.event_id = e.id and a.finished_at is not null order by a.round desc, a.attempt desc limit 1) as last on true;
comment on view core.partner_events is 'The events as partners read them, without their bodies.';
comment on column core.partner_events.event_id is 'The event.';
comment on column core.partner_events.account_id is 'Whose event it is.';
comment on column core.partner_events.order_id is 'The order that it is about; null: a sample.';
comment on column core.partner_events.order_code is 'The code of that order.';
comment on column core.partner_events.event_type is 'order.completed or order.failed.';
comment on column core.partner_events.callback_url is 'Where it goes.';
comment on column core.partner_events.created_at is 'When the order ended.';
comment on column core.partner_events.state is 'waiting, sending, delivered, dead or held.';
comment on column core.partner_events.attempts is 'The attempts of the present round.';
comment on column core.partner_events.next_attempt_at is 'When the next attempt is due; null: none is planned.';
comment on column core.partner_events.last_status is 'The status code of the last answer, also of a round before.';
comment on column core.partner_events.last_error is 'Why the last attempt failed; null: it did not, or there was none.';
