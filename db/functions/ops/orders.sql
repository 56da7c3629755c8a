create or replace view ops.orders as
select
  o.code as order_code,
  o.account_id,
  o.external_order_id,
  o.status,
  o.outcome,
  o.total_amount,
  o.refunded_amount,
  o.callback_url,
  o.created_at,
  o.completed_at,
  o.currency,
  o.payment_code,
  o.idempotency_key,
  o.reason,
  o.updated_at
from supply.orders o;
comment on view ops.orders is 'The orders, money in the order''s currency.';
comment on column ops.orders.order_code is 'The orderCode.';
comment on column ops.orders.account_id is 'Who ordered.';
comment on column ops.orders.external_order_id is 'The partner''s own reference.';
comment on column ops.orders.status is 'pending, processing, completed, failed; the last two are final.';
comment on column ops.orders.outcome is 'Of a final order: full, partial or none of it was delivered.';
comment on column ops.orders.total_amount is 'What was charged.';
comment on column ops.orders.refunded_amount is 'What went back to the balance.';
comment on column ops.orders.callback_url is 'Where its event goes; null: no event.';
comment on column ops.orders.created_at is 'When it was accepted and charged.';
comment on column ops.orders.completed_at is 'When it became final.';
comment on column ops.orders.currency is 'ISO 4217 code of the amounts.';
comment on column ops.orders.payment_code is 'The code of the charge, as the statement shows it.';
comment on column ops.orders.idempotency_key is 'The key under which a repeat is recognised.';
comment on column ops.orders.reason is 'Of a failed order: the text that a buyer may read.';
comment on column ops.orders.updated_at is 'When it or one of its lines last changed its status.';
revoke all on ops.orders from public;
grant select on ops.orders to supply_operator;
