create or replace view bi.orders as
select o.code as order_code, o.account_id, o.number, o.status, o.outcome, o.total_amount, o.refunded_amount, o.currency,
  o.key_id, o.created_at, o.completed_at
from supply.orders o;
comment on view bi.orders is 'The orders, with money in the order''s currency.';
comment on column bi.orders.order_code is 'The orderCode.';
