create or replace view core.audit as
select a.check_name, a.detail, a.subject, a.account_id, a.is_whole as is_looked_at_each_time
from core.audit_accounts a
union all
select o.check_name, o.detail, o.subject, null, false from core.audit_orders o
union all
select d.check_name, d.detail, d.subject, null, false from core.audit_deliveries d
union all
select s.check_name, s.detail, s.subject, null, false from core.audit_stock s
union all
select q.check_name, q.detail, q.subject, null, true from core.audit_queue q;
comment on view core.audit is
  'The rows of ops.audit, with the subject, which stays the same while figures of the detail change, the account where a
check is about one, and whether every audit checks all subjects of the check.';
