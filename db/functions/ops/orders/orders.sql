create or replace view ops.orders as
select o.code as order_code, o.account_id, o.external_order_id,
  o.status, o.outcome, o.total_amount, o.refunded_amount,
  o.callback_url, o.created_at, o.completed_at, o.currency, o.payment_code,
  core.shown_text(o.idempotency_key) as idempotency_key, o.reason, o.updated_at,
  o.key_id, o.client
from supply.orders o;
comment on view ops.orders is 'The orders, with money in the order''s currency.';
comment on column ops.orders.order_code is 'The orderCode.';
