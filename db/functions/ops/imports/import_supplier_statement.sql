-- Roles: finance
create or replace view ops.import_supplier_statement as
select null::text as supplier, null::text as supplier_order_id, null::text as reference, null::text as amount,
  null::text as currency, null::text as status, null::text as at
where false;
comment on view ops.import_supplier_statement is
  'Takes a statement of a supplier, a line an order: \copy ops.import_supplier_statement (supplier, supplier_order_id,
amount, currency, at) from ''november.csv'' with (format csv, header match). Nothing is applied:
ops.supplier_differences compares it with our items.';
comment on column ops.import_supplier_statement.supplier is 'The supplier''s code.';
comment on column ops.import_supplier_statement.supplier_order_id is 'The supplier''s own id of the order.';
comment on column ops.import_supplier_statement.reference is 'Our reference there: the id of the item.';
comment on column ops.import_supplier_statement.amount is 'The total of the order, with a decimal point.';
comment on column ops.import_supplier_statement.currency is 'The currency of the amount; empty: that of our item.';
comment on column ops.import_supplier_statement.status is 'completed (or empty), failed or refunded.';
comment on column ops.import_supplier_statement.at is
  'When: 2026-11-30 14:05, in BUSINESS_TIME_ZONE unless it ends with a zone such as +02 or Europe/Berlin.';
create or replace trigger stage instead of insert on ops.import_supplier_statement
  for each row execute function core.stage_line('supplier_statement');
create or replace trigger report after insert on ops.import_supplier_statement
  for each statement execute function core.report_import('supplier_statement');
