create or replace view core.audited_orders as
select t.*
from supply.orders t
where t.id > (select s.newest_after from core.audit_scope s) and t.id <= (select s.newest_to from core.audit_scope s)
  or t.id > (select s.slice_after from core.audit_scope s) and t.id <= (select s.slice_to from core.audit_scope s);
comment on view core.audited_orders is 'The orders that the audit looks at now (core.audit_scope).';
