set local role supply_owner;

create type supply.alert_kind as enum (
  'dead_letter', 'item_stuck', 'item_held', 'contradicting_result', 'sold_twice', 'supplier_silent',
  'supplier_circuit', 'supplier_balance', 'supplier_credentials', 'supplier_settings', 'supplier_sync',
  'supplier_price', 'supplier_balance_low', 'supplier_balance_fell', 'unreadable', 'failover_loss', 'audit',
  'wrong_clock', 'clock_went_back', 'low_balance', 'stock_low', 'alert_webhook', 'old_snapshot', 'slot_behind',
  'jobs_growing', 'notify_queue', 'codes_refused', 'closed_account'
);
comment on type supply.alert_kind is
  'What operators are alerted of. The subject of an alert is the reason (dead_letter), the code of a supplier (item_…, '
  'contradicting_result, sold_twice, supplier_…), the item or event (unreadable), the timeline (failover_loss), the '
  'check (audit), the process (wrong_clock), the database (clock_went_back), the currency (low_balance, '
  'closed_account), the supplier and sku (stock_low), the session (old_snapshot), the replication slot (slot_behind) '
  'or the item (codes_refused).';

-- The order of the steps of one moment.
create type supply.order_step as enum (
  'placed', 'charged', 'round_started', 'operator_action', 'sent_to_supplier', 'asked_supplier', 'pushed',
  'item_completed', 'item_failed', 'order_completed', 'order_failed', 'refunded', 'event_created', 'no_event',
  'delivery_attempt', 'delivered', 'given_up', 'alert', 'acknowledged', 'planned'
);
comment on type supply.order_step is
  'What happens to an order: pushed: a supplier sent a result; no_event: the partner reads the result from the order; '
  'round_started: a redelivery began; given_up: the event became a dead letter; planned: the next step.';

create type supply.occurrence as (kind supply.alert_kind, subject text, account_id bigint, message text);
comment on type supply.occurrence is
  'Something that operators are alerted of: its kind, its subject, the account if it is about one, and what happened '
  'in words.';

create table supply.occurrences (
  id bigint generated always as identity primary key,
  alert_id uuid not null,
  kind supply.alert_kind not null,
  subject text collate "C" not null,
  account_id bigint,
  message text not null,
  at timestamptz not null default now()
);
create index occurrences_alert on supply.occurrences (alert_id);
comment on table supply.occurrences is
  'What happened and is not yet counted in supply.alerts. Rows are only inserted, so that a transaction that has '
  'locked an alert delays nobody; work.collect_alerts counts and removes them.';
comment on column supply.occurrences.id is 'A running number.';
comment on column supply.occurrences.alert_id is 'The alert that counts it (core.alert_id).';
comment on column supply.occurrences.kind is 'The kind of the alert.';
comment on column supply.occurrences.subject is 'The subject of the alert.';
comment on column supply.occurrences.account_id is 'The account of the alert; null: it is about no account.';
comment on column supply.occurrences.message is 'What happened, in words.';
comment on column supply.occurrences.at is 'When it happened.';

create table supply.alerts (
  id uuid primary key,
  kind supply.alert_kind not null,
  subject text collate "C" not null,
  account_id bigint,
  hour timestamptz not null,
  message text not null,
  count int not null default 1 check (count >= 1),
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  sent_at timestamptz,
  opened_at timestamptz not null default now(),
  closed_at timestamptz,
  end_sent_at timestamptz,
  unique nulls not distinct (kind, subject, account_id, hour),
  constraint alerts_end_check check (end_sent_at is null or closed_at is not null)
);
create index alerts_open on supply.alerts (kind, subject) where closed_at is null;
create index alerts_latest on supply.alerts (last_at);
comment on table supply.alerts is
  'What operators have to look at: one row per kind, subject, account and hour. core.alerts adds what is not yet '
  'counted.';
comment on column supply.alerts.id is 'Made from kind, subject, account and hour (core.alert_id). Its job carries it.';
comment on column supply.alerts.kind is 'What happened.';
comment on column supply.alerts.subject is 'To what it happened, as supply.alert_kind says.';
comment on column supply.alerts.account_id is 'The account; null: it is about no account.';
comment on column supply.alerts.hour is 'The hour that the row stands for.';
comment on column supply.alerts.message is 'The first occurrence in words.';
comment on column supply.alerts.count is 'How often it happened in that hour.';
comment on column supply.alerts.first_at is 'When it first happened.';
comment on column supply.alerts.last_at is 'When it last happened.';
comment on column supply.alerts.sent_at is 'When it was logged, and posted where an alert webhook is set.';
comment on column supply.alerts.opened_at is
  'Since when it is open: since first_at, or since it happened again after it had been closed.';
comment on column supply.alerts.closed_at is
  'When its cause was found gone, or an operator had looked at it where no table shows that; null: it is open.';
comment on column supply.alerts.end_sent_at is
  'When operators were notified of its end, or a later alert was left to do so; null: open, or not yet notified.';

create table supply.acknowledgements (
  id bigint generated always as identity primary key,
  alert_id uuid not null,
  count int not null,
  at timestamptz not null default clock_timestamp(),
  operator text not null default session_user,
  note text not null
);
create index acknowledgements_alert on supply.acknowledgements (alert_id, id);
comment on table supply.acknowledgements is
  'What operators said about alerts. Rows are only inserted: an operator''s open transaction locks no alert.';
comment on column supply.acknowledgements.id is 'A running number.';
comment on column supply.acknowledgements.alert_id is 'The alert, which may not be counted yet.';
comment on column supply.acknowledgements.count is
  'The count of the alert that the operator saw. What happened after that is new.';
comment on column supply.acknowledgements.at is 'When.';
comment on column supply.acknowledgements.operator is 'The database login of the operator.';
comment on column supply.acknowledgements.note is 'What the operator noted.';

create table supply.operator_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  who text not null default session_user,
  action text not null,
  subject text collate "C" not null,
  detail jsonb not null default '{}'
);
create index operator_log_subject on supply.operator_log (subject, at);
comment on table supply.operator_log is 'Who did what through the operators'' functions.';
comment on column supply.operator_log.id is 'A running number.';
comment on column supply.operator_log.at is 'When.';
comment on column supply.operator_log.who is 'The database login.';
comment on column supply.operator_log.action is 'The function''s name.';
comment on column supply.operator_log.subject is 'What it was done to.';
comment on column supply.operator_log.detail is 'With what; never a secret.';
create trigger append_only before update or delete on supply.operator_log
  for each row execute function supply.refuse_change();

create table supply.worker_pools (
  pool_id text collate "C" primary key,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  lost_jobs bigint[] not null default '{}',
  places int not null default 0 check (places >= 0)
);
comment on table supply.worker_pools is
  'The worker pools that may hold locks on jobs; the sweeper frees the jobs of dead ones.';
comment on column supply.worker_pools.pool_id is 'The queue''s name of the pool, as it locks jobs.';
comment on column supply.worker_pools.started_at is 'When it registered.';
comment on column supply.worker_pools.seen_at is 'Its last heartbeat.';
comment on column supply.worker_pools.lost_jobs is
  'The queue''s numbers of the jobs that it had locked, and of which its process did not know, when that last '
  'compared them.';
comment on column supply.worker_pools.places is
  'How many calls to one supplier it makes at once; 0: it calls none.';

create table supply.wrong_clocks (
  process_name text collate "C" primary key,
  seconds_ahead int not null,
  since timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
comment on table supply.wrong_clocks is
  'The processes whose clocks differ from the clock of the database by more than 30 s.';
comment on column supply.wrong_clocks.process_name is 'As api 4711 at host.';
comment on column supply.wrong_clocks.seconds_ahead is 'By how much its clock is ahead; below 0: behind.';
comment on column supply.wrong_clocks.since is 'When it first differed.';
comment on column supply.wrong_clocks.seen_at is 'When it last differed.';

create table supply.periodic_tasks (
  task text collate "C" primary key,
  succeeded_at timestamptz
) with (fillfactor = 50);
comment on table supply.periodic_tasks is
  'The periodic tasks that one worker at a time runs, each under the lock of its row.';
comment on column supply.periodic_tasks.task is 'The function of the schema work that it is.';
comment on column supply.periodic_tasks.succeeded_at is 'When it last ran and succeeded.';
insert into supply.periodic_tasks (task) values
  ('sweep'), ('fill_slots'), ('fill_places'), ('number_results'), ('resume_forgotten'), ('collect_alerts'),
  ('compare_alerts'), ('follow_clock'), ('check_suppliers'), ('run_audit');

create table supply.data_keys (
  id text collate "C" primary key check (id ~ '^[A-Za-z0-9_-]{1,20}$'),
  fingerprint_key text not null,
  proof_hash bytea not null
);
comment on table supply.data_keys is
  'The keys of DATA_KEYS under which texts of this database may be sealed. A process without one of them does not '
  'start.';
comment on column supply.data_keys.id is 'The id of the key.';
comment on column supply.data_keys.fingerprint_key is
  'The key of the fingerprints of codes, sealed under this data key. It is the same for all keys.';
comment on column supply.data_keys.proof_hash is
  'The SHA-256 of the proof that a process knows the fingerprint key. Without it no further key is registered.';

create table supply.recoveries (
  id bigint generated always as identity primary key,
  note text not null check (length(note) between 1 and 500),
  began_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index recoveries_one_open on supply.recoveries ((true)) where ended_at is null;
comment on table supply.recoveries is
  'The times after a restore in which what may have happened after the back-up is looked at first.';
comment on column supply.recoveries.id is 'A running number.';
comment on column supply.recoveries.note is 'What was restored, in the operator''s words.';
comment on column supply.recoveries.began_at is 'When it began, before a worker ran on the restored database.';
comment on column supply.recoveries.ended_at is 'When an operator ended it; null: it is open.';

create table supply.origin (
  id boolean primary key default true check (id),
  cluster text,
  database_oid oid not null,
  timeline text not null,
  recorded_at timestamptz not null default now(),
  moved_to text,
  moved_at timestamptz,
  lost text[] not null default '{}'
);
comment on table supply.origin is
  'Where this database was when a worker first ran on it, when a failover that lost nothing last moved it, or when an '
  'operator last confirmed it. A restored database is elsewhere.';
comment on column supply.origin.id is 'Always true: there is one row.';
comment on column supply.origin.cluster is 'The cluster''s system identifier; null where it cannot be read.';
comment on column supply.origin.database_oid is 'The database''s number in its cluster.';
comment on column supply.origin.timeline is 'The timeline of the write-ahead log, in hex.';
comment on column supply.origin.recorded_at is 'When that was recorded.';
comment on column supply.origin.moved_to is
  'The timeline to which a failover moved the database; workers call no supplier before it is recorded as the '
  'timeline.';
comment on column supply.origin.moved_at is
  'When a failover last moved the database, as a worker saw or recorded it; null: none did.';
comment on column supply.origin.lost is
  'What a failover lost: "order" with its code, which an API had acknowledged, or "item" with its id, whose call a '
  'worker had recorded. Workers call no supplier while there is any.';

create table supply.public_address (
  id boolean primary key default true check (id),
  url text not null
);
comment on table supply.public_address is
  'The address at which partners reach the API: its PUBLIC_URL. No row where that is not set.';
comment on column supply.public_address.id is 'Always true: there is one row.';
comment on column supply.public_address.url is 'PUBLIC_URL of the API that started last, without a slash at its end.';

create table supply.business_zone (
  id boolean primary key default true check (id),
  name text not null
);
comment on table supply.business_zone is
  'The time zone in which days and months of figures begin: BUSINESS_TIME_ZONE. No row: UTC.';
comment on column supply.business_zone.id is 'Always true: there is one row.';
comment on column supply.business_zone.name is 'BUSINESS_TIME_ZONE of the API that started last.';

-- Each process rewrites its one row every second: the new version has to fit on the page of the old one.
create table supply.read_marks (
  process_id uuid primary key,
  mark bigint not null check (mark > 0),
  marked_at timestamptz not null default now()
) with (fillfactor = 50);
comment on table supply.read_marks is
  'What processes that read from a standby write every second: a standby that shows a mark has all that was '
  'committed before it.';
comment on column supply.read_marks.process_id is 'The process, by a number that it has drawn.';
comment on column supply.read_marks.mark is 'Its latest mark; each is greater than the one before.';
comment on column supply.read_marks.marked_at is 'When it was made.';

create table supply.supplier_states (
  supplier text collate "C" primary key references supply.suppliers,
  last_good_at timestamptz,
  unanswered_since timestamptz,
  silent_after interval not null
);
comment on table supply.supplier_states is
  'How suppliers answered when a worker last looked, which it does every 30 s.';
comment on column supply.supplier_states.supplier is 'The supplier.';
comment on column supply.supplier_states.last_good_at is
  'When a call was last answered by processing, completed or failed; null: none is known.';
comment on column supply.supplier_states.unanswered_since is
  'The end of the first call after that without a usable answer; null: there was no such call.';
comment on column supply.supplier_states.silent_after is
  'After how long without a usable answer the workers alert operators (SUPPLIER_SILENT_MINUTES).';

-- A worker may end between two parts of a pass: the next pass goes on from the position that is kept here.
create table supply.housekeeping (
  what text collate "C" primary key,
  removed bigint not null default 0,
  last_run_at timestamptz,
  last_count bigint not null default 0,
  removed_before timestamptz,
  pass_count bigint,
  position_at timestamptz
);
comment on table supply.housekeeping is
  'What the service removes when it was kept for long enough: how much it was, and how far the present pass is.';
comment on column supply.housekeeping.what is 'What is removed.';
comment on column supply.housekeeping.removed is 'How many rows were removed in all.';
comment on column supply.housekeeping.last_run_at is 'When the last pass ended.';
comment on column supply.housekeeping.last_count is 'How many rows the last pass removed.';
comment on column supply.housekeeping.removed_before is
  'What is older than this may have been removed; what is younger was not.';
comment on column supply.housekeeping.pass_count is
  'How many rows the present pass has removed; null: none is under way.';
comment on column supply.housekeeping.position_at is 'Up to which time the present pass has looked.';
insert into supply.housekeeping (what) values
  ('supplier attempts'), ('raw answers'), ('delivery attempts'), ('alerts'), ('rate windows'), ('samples'),
  ('supplier events'), ('offer changes'), ('simulated orders'), ('delivery data');

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

-- A breach stays known until an audit sees that it is gone, so that its acknowledged alert stays acknowledged.
create table supply.audit_breaches (
  check_name text collate "C" not null,
  subject text collate "C" not null,
  found_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  is_looked_at_each_time boolean not null,
  primary key (check_name, subject)
);
comment on table supply.audit_breaches is 'What the audits of the workers found and have not seen to be gone since.';
comment on column supply.audit_breaches.check_name is 'Which invariant does not hold.';
comment on column supply.audit_breaches.subject is 'What it does not hold for: what the row''s detail names first.';
comment on column supply.audit_breaches.found_at is 'When an audit found it first.';
comment on column supply.audit_breaches.seen_at is 'When an audit found it last.';
comment on column supply.audit_breaches.is_looked_at_each_time is
  'Whether each audit looks for it; else its order is in turn once in core.audit_scope''s round.';

reset role;

-- Three indexes on the queue. Jobs that a worker has locked, and jobs without attempts left: few among all that wait.
create index jobs_taken on graphile_worker._private_jobs (locked_by) where is_available = false;
-- Jobs by the item, event, alert or order that they carry: by the expression of core.jobs.subject.
create index jobs_subject on graphile_worker._private_jobs ((
  case when payload ->> 'id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (payload ->> 'id')::uuid end));
-- Jobs by due time, for ops.queue. An expression, so that the fetch of jobs never uses this index.
create index jobs_due on graphile_worker._private_jobs ((run_at at time zone 'UTC' at time zone 'UTC'));
