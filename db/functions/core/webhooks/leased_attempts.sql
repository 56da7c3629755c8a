create or replace view core.leased_attempts as
select e.id as event_id, e.lease_token, e.callback_url, e.event_type, e.body,
  (select s.secret from supply.webhook_secrets s where s.account_id = e.account_id) as secret,
  e.attempts as attempt, placed.request_id, placed.request_id_given, placed.traceparent, e.account_id
from supply.events e
left join lateral (
  select o.request_id, o.request_id_given, o.traceparent from supply.orders o where o.id = e.order_id offset 0) as placed on true;
comment on view core.leased_attempts is
  'What is sent in the latest attempt of each event. Read it for attempts that this transaction has leased. Specification 6.';
comment on column core.leased_attempts.event_id is 'The event, which is the delivery''s id.';
comment on column core.leased_attempts.lease_token is 'The fencing token of the attempt.';
comment on column core.leased_attempts.callback_url is 'Where it goes.';
comment on column core.leased_attempts.event_type is 'The event''s type.';
comment on column core.leased_attempts.body is 'The event, byte by byte.';
comment on column core.leased_attempts.secret is 'The account''s signing secret as it is stored; null before its first delivery.';
comment on column core.leased_attempts.attempt is 'Which attempt on its ladder it is, 1 to 9.';
comment on column core.leased_attempts.request_id is 'The id of the request that placed the order.';
comment on column core.leased_attempts.request_id_given is 'Whether the partner named it.';
comment on column core.leased_attempts.traceparent is 'The trace of that request.';
comment on column core.leased_attempts.account_id is 'The account.';
