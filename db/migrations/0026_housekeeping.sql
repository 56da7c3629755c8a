set local role supply_owner;

-- What was removed is counted, and where a pass over what is old stopped is kept here: a worker may end between two parts.
create table supply.housekeeping (
  what text primary key,
  removed bigint not null default 0,
  last_run_at timestamptz,
  last_count bigint not null default 0,
  removed_before timestamptz,
  pass_count bigint,
  position_at timestamptz,
  position_id text
);
comment on table supply.housekeeping is 'What the service removes when it was kept for long enough: how much it was, and how far the present pass is.';
comment on column supply.housekeeping.what is 'What is removed.';
comment on column supply.housekeeping.removed is 'How many rows were removed in all.';
comment on column supply.housekeeping.last_run_at is 'When the last pass ended.';
comment on column supply.housekeeping.last_count is 'How many rows the last pass removed.';
comment on column supply.housekeeping.removed_before is 'What is older than this may have been removed; what is younger was not.';
comment on column supply.housekeeping.pass_count is 'How many rows the present pass has removed; null: none is under way.';
comment on column supply.housekeeping.position_at is 'Up to which time the present pass has looked.';
comment on column supply.housekeeping.position_id is 'The last row of that time at which it has looked.';
insert into supply.housekeeping (what) values
  ('supplier attempts'), ('raw answers'), ('delivery attempts'), ('alerts'), ('rate windows'), ('samples');

create index supplier_attempts_raw on supply.supplier_attempts (started_at) where raw is not null;
create index alerts_latest on supply.alerts (last_at);

create table supply.audit_runs (
  id boolean primary key default true check (id),
  ran_at timestamptz not null,
  breaches int not null,
  checks text[] not null
);
comment on table supply.audit_runs is 'What the last run of the audit by a worker found.';
comment on column supply.audit_runs.id is 'Always true: there is one row.';
comment on column supply.audit_runs.ran_at is 'When it ran.';
comment on column supply.audit_runs.breaches is 'How many rows ops.audit had.';
comment on column supply.audit_runs.checks is 'Which checks these rows were of, in order.';

reset role;
