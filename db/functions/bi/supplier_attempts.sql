create or replace view bi.supplier_attempts as
select a.id as attempt_id, a.item_id, a.supplier, a.method, a.started_at, a.finished_at, a.status_code, a.outcome,
  a.verdict
from supply.supplier_attempts a;
comment on view bi.supplier_attempts is
  'The calls to suppliers, their pushes, and what operators and partners settled.';
comment on column bi.supplier_attempts.attempt_id is 'A running number.';
