create or replace view core.audit as
select a.check_name, a.detail, starts_with(a.detail, 'account ') as is_looked_at_each_time from core.audit_accounts a
union all
select o.check_name, o.detail, false from core.audit_orders o
union all
select d.check_name, d.detail, false from core.audit_deliveries d
union all
select q.check_name, q.detail, true from core.audit_queue q;
comment on view core.audit is 'The rows of ops.audit, and whether every audit checks all subjects of the check.';
