create or replace view ops.supplier_attempts as
select a.id as attempt_id, a.item_id, o.code as order_code, a.supplier, a.method, a.started_at, a.finished_at,
  a.status_code, a.outcome, a.verdict::text, a.error_code, a.reason, a.error, cardinality(a.codes) as codes,
  a.supplier_order_id, a.repeats, a.cause
from supply.supplier_attempts a
join supply.order_items i on i.id = a.item_id
join supply.orders o on o.id = i.order_id;
comment on view ops.supplier_attempts is
  'All calls to suppliers, pushed results and settlements by operators. No code is shown.';
comment on column ops.supplier_attempts.attempt_id is 'A running number.';
comment on column ops.supplier_attempts.order_code is 'The order''s code.';
comment on column ops.supplier_attempts.codes is 'The number of codes in the answer.';
