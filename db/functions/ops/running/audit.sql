create or replace view ops.audit as
select a.check_name, a.detail from core.audit a;
comment on view ops.audit is
  'Shows what is wrong with money, orders, results, deliveries and queue: no row while all is well. Waiting, stuck,
held and alerted things are well. It looks at all balances, the queue and the newest 20,000 orders each time, at
20,000 older ones in turn each minute, and at all by ops.audit_all().';
comment on column ops.audit.check_name is 'Which invariant does not hold.';
comment on column ops.audit.detail is 'Where, and how.';
