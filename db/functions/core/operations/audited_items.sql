create or replace view core.audited_items as
select t.*
from supply.order_items t
where t.order_id > (select s.newest_after from core.audit_scope s)
  and t.order_id <= (select s.newest_to from core.audit_scope s)
  or t.order_id > (select s.slice_after from core.audit_scope s)
    and t.order_id <= (select s.slice_to from core.audit_scope s);
comment on view core.audited_items is 'The items of the orders that the audit looks at now (core.audit_scope).';
