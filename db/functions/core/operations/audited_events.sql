create or replace view core.audited_events as
select t.*
from supply.events t
where t.order_id > (select s.newest_after from core.audit_scope s)
  and t.order_id <= (select s.newest_to from core.audit_scope s)
  or t.order_id > (select s.slice_after from core.audit_scope s)
    and t.order_id <= (select s.slice_to from core.audit_scope s)
  or t.order_id is null;
comment on view core.audited_events is
  'The events of the orders that the audit looks at now (core.audit_scope), and all samples.';
