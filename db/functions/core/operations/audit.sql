create or replace view core.audit as
select m.check_name, m.detail, starts_with(m.detail, 'account ') as is_looked_at_each_time from core.audit_money m
union all
select o.check_name, o.detail, false from core.audit_orders o
union all
select r.check_name, r.detail, starts_with(r.detail, 'account ') from core.audit_results r
union all
select d.check_name, d.detail, false from core.audit_deliveries d
union all
select q.check_name, q.detail, true from core.audit_queue q;
comment on view core.audit is 'The rows of ops.audit.';
