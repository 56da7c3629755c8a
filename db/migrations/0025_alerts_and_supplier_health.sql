set local role supply_owner;

-- An alert ends: by itself when its cause is gone, or by an operator's word where nothing else can tell.
alter table supply.alerts
  add column opened_at timestamptz not null default now(),
  add column closed_at timestamptz,
  add column end_sent_at timestamptz,
  add constraint alerts_end_check check (end_sent_at is null or closed_at is not null) not valid;
update supply.alerts set opened_at = first_at;
-- What was over before is nobody's news.
update supply.alerts a set closed_at = now(), end_sent_at = now()
where a.sent_at is not null and case
  when starts_with(a.cause, 'dead_letter:') then not exists (
    select from supply.events e
    where e.state = 'dead' and not e.simulated and e.account_id = substring(a.cause from 'account ([0-9]{1,18})$')::bigint
      and e.dead_reason = split_part(a.cause, ':', 2))
  when starts_with(a.cause, 'item_stuck:') then not exists (
    select from supply.order_items i
    where i.stuck_at is not null and i.completed_at is null and i.supplier = split_part(a.cause, ':', 2))
  when starts_with(a.cause, 'item_held:') then not exists (
    select from supply.order_items i
    where i.held_at is not null and i.completed_at is null and i.supplier = split_part(a.cause, ':', 2))
  else coalesce(a.acknowledged_at >= a.last_at, false)
end;
alter table supply.alerts validate constraint alerts_end_check;
create index alerts_open on supply.alerts (cause) where closed_at is null;
comment on column supply.alerts.opened_at is 'Since when it is open: since first_at, or since it happened again after it had been closed.';
comment on column supply.alerts.closed_at is 'When its cause was found gone, or an operator closed it; null: it is open.';
comment on column supply.alerts.end_sent_at is
  'When its end was told, or left to the alert of a later hour; null: it is open, or its end is to be told.';

-- A day of calls is counted, as it would take too long to read.
create table supply.supplier_call_counts (
  began_at timestamptz not null,
  supplier text not null references supply.suppliers,
  latency_ms int not null check (latency_ms >= 0),
  calls int not null check (calls >= 1),
  failures int not null,
  unknowns int not null,
  primary key (began_at, supplier, latency_ms)
);
comment on table supply.supplier_call_counts is
  'The calls to suppliers of one day, less the last minutes, counted by five minutes and latency. The calls themselves are supply.supplier_attempts.';
comment on column supply.supplier_call_counts.began_at is 'When the five minutes began in which the calls were made. All calls up to the latest five minutes are counted.';
comment on column supply.supplier_call_counts.supplier is 'The supplier.';
comment on column supply.supplier_call_counts.latency_ms is 'How long the answers took, in milliseconds, within 10 per cent; 0: there was no usable answer.';
comment on column supply.supplier_call_counts.calls is 'How many there were.';
comment on column supply.supplier_call_counts.failures is 'Those of them that the supplier answered by a failure.';
comment on column supply.supplier_call_counts.unknowns is 'Those of them that ended without a usable answer.';

create table supply.supplier_states (
  supplier text primary key references supply.suppliers,
  last_good_at timestamptz,
  unanswered_since timestamptz,
  silent_after interval not null
);
comment on table supply.supplier_states is 'How suppliers answered when a worker last looked, which it does every 30 s.';
comment on column supply.supplier_states.supplier is 'The supplier.';
comment on column supply.supplier_states.last_good_at is 'When a call was last answered by processing, completed or failed; null: none is known.';
comment on column supply.supplier_states.unanswered_since is 'The end of the first call after that without a usable answer; null: there was no such call.';
comment on column supply.supplier_states.silent_after is 'After how long without a usable answer the workers alert operators (SUPPLIER_SILENT_MINUTES).';

reset role;
