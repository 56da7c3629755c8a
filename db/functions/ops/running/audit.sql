create or replace view ops.audit as
select a.check_name, a.detail from core.audit a;
comment on view ops.audit is
  'Shows violated invariants of money, orders, codes, results, deliveries and queue: no row while all is well. Waiting,
stuck and held items are no violations. It checks all balances, the queue, the newest 20,000 orders, and each minute the
next 20,000 older orders. ops.audit_all() checks all orders.';
comment on column ops.audit.check_name is 'The violated invariant.';
comment on column ops.audit.detail is 'What violates it, and how.';
