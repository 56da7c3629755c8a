set local role supply_owner;

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
  recorded_at timestamptz not null default now()
);
comment on table supply.origin is
  'Where this database was when a worker first ran on it, or when an operator last confirmed it: a restored one is elsewhere.';
comment on column supply.origin.id is 'Always true: there is one row.';
comment on column supply.origin.cluster is 'The cluster''s system identifier; null where it cannot be read.';
comment on column supply.origin.database_oid is 'The database''s number in its cluster.';
comment on column supply.origin.timeline is 'The timeline of the write-ahead log, in hex.';
comment on column supply.origin.recorded_at is 'When that was recorded.';

alter table supply.order_items add column recovered_at timestamptz;
comment on column supply.order_items.recovered_at is
  'When a recovery began while the item was open: since then a supplier is asked for it before it is sent there.';
create index order_items_recovered on supply.order_items (id) where recovered_at is not null and completed_at is null;

alter table supply.events drop constraint events_state_check;
alter table supply.events add constraint events_state_check
  check (state in ('waiting', 'queued', 'ready', 'sending', 'delivered', 'dead', 'held'));
create index events_held on supply.events (account_id, created_at) where state = 'held';
comment on column supply.events.state is
  'waiting (for a rung), queued (due, without a slot), ready (has a slot and a job), sending, delivered, dead, held (since a restore).';

reset role;
