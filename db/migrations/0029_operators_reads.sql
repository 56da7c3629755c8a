set local role supply_owner;

-- Operators look for events by the state that ops.events shows: by this very expression. What was delivered, and that is
-- nearly all, is not in it, and no update costs more for it than an entry: the state is in other indexes already.
create index events_state on supply.events (
  (case when state in ('queued', 'ready') then 'waiting' else state end), next_attempt_at)
  where case when state in ('queued', 'ready') then 'waiting' else state end <> 'delivered';
-- What a supplier has ended, by time. An item pays for it once, by an update that is in another index already; by sent_at, the
-- first update of each item would be in all indexes anew.
create index order_items_ended on supply.order_items (supplier, completed_at) where completed_at is not null;

-- What the audit found stays known until it is seen to be gone, so that an alert that was acknowledged stays so meanwhile.
create table supply.audit_breaches (
  check_name text not null,
  subject text not null,
  found_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  is_looked_at_each_time boolean not null,
  primary key (check_name, subject)
);
comment on table supply.audit_breaches is 'What the audits of the workers found and have not seen to be gone since.';
comment on column supply.audit_breaches.check_name is 'Which invariant does not hold.';
comment on column supply.audit_breaches.subject is 'What it does not hold for: core.audit_subject of the row.';
comment on column supply.audit_breaches.found_at is 'When an audit found it first.';
comment on column supply.audit_breaches.seen_at is 'When an audit found it last.';
comment on column supply.audit_breaches.is_looked_at_each_time is
  'Whether each audit looks for it; else its order is in turn once in core.audit_scope''s round.';
insert into supply.audit_breaches (check_name, subject, is_looked_at_each_time)
select unnest(r.checks), 'before', true from supply.audit_runs r;

-- A day of calls is counted by hours too: 24 rows instead of 288 for each latency of a supplier.
create table supply.supplier_call_hours (
  began_at timestamptz not null,
  supplier text not null references supply.suppliers,
  latency_ms int not null check (latency_ms >= 0),
  calls int not null check (calls >= 1),
  failures int not null,
  unknowns int not null,
  primary key (began_at, supplier, latency_ms)
);
comment on table supply.supplier_call_hours is 'supply.supplier_call_counts by whole hours.';
comment on column supply.supplier_call_hours.began_at is 'When the hour began in which the calls were made.';
comment on column supply.supplier_call_hours.supplier is 'The supplier.';
comment on column supply.supplier_call_hours.latency_ms is 'As in supply.supplier_call_counts.';
comment on column supply.supplier_call_hours.calls is 'How many there were.';
comment on column supply.supplier_call_hours.failures is 'Those of them that the supplier answered by a failure.';
comment on column supply.supplier_call_hours.unknowns is 'Those of them that ended without a usable answer.';
insert into supply.supplier_call_hours (began_at, supplier, latency_ms, calls, failures, unknowns)
select date_trunc('hour', c.began_at, 'UTC'), c.supplier, c.latency_ms, sum(c.calls), sum(c.failures), sum(c.unknowns)
from supply.supplier_call_counts c group by 1, 2, 3;

reset role;
