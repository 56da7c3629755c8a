create or replace view bi.events as
select e.id as event_id, e.account_id, e.order_code, e.event_type, e.state, e.round, e.attempts, e.created_at,
  e.delivered_at, e.dead_at, e.dead_reason
from supply.events e where not e.simulated;
comment on view bi.events is 'The webhook events of orders, and how far each is with its delivery.';
comment on column bi.events.event_id is 'The event_id, the same on every attempt.';
