create or replace view bi.results as
select r.account_id, r.seq, o.code as order_code, o.status, o.outcome, o.total_amount, o.refunded_amount, o.currency,
  o.created_at, o.completed_at
from supply.order_results r join supply.orders o on o.id = r.order_id;
comment on view bi.results is
  'The final orders of an account in the order of seq. It has a gap only after a restore. Read on from the last one.';
comment on column bi.results.order_code is 'The orderCode.';
