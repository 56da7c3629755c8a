create or replace view ops.audit as
select a.check_name, a.detail from core.audit a;
comment on view ops.audit is
  'The invariants of money, orders, results, deliveries and queue: one row for each breach, none while all is well. Stuck, '
  'held and alerted items, and events that wait for their next attempt, are well. Balances and queue are looked at whole each time, and '
  'the newest 20,000 orders; older ones in turn, 20,000 with each minute, or all at once by ops.audit_all().';
comment on column ops.audit.check_name is 'Which invariant does not hold.';
comment on column ops.audit.detail is 'Where, and how.';
