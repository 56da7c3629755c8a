create or replace view core.leased_attempts as
select e.id as event_id, e.lease_token, e.callback_url, e.event_type, e.body,
  (select s.secret from supply.webhook_secrets s where s.account_id = e.account_id) as secret,
  e.attempts as attempt, placed.request_id, placed.request_id_given, placed.traceparent, e.account_id
from supply.events e
left join lateral (
  select o.request_id, o.request_id_given, o.traceparent from supply.orders o where o.id = e.order_id offset 0
) as placed on true;
comment on view core.leased_attempts is
  'What the latest attempt of each event sends, with the stored secret of the account (null before its first delivery)
and the id and trace of the request that placed the order. Read it for attempts that this transaction has leased.';
