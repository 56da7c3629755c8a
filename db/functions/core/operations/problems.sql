create or replace view core.problems as
select 'dead_letter'::supply.alert_kind as kind, d.dead_reason as subject, d.account_id, d.dead_at as since,
  null::text as detail
from core.dead_letters d
union all
select 'item_stuck', i.supplier, null, i.stuck_at, null from core.items_for_operators i where i.stuck_at is not null
union all
select 'item_held', i.supplier, null, i.held_at, null from core.items_for_operators i where i.held_at is not null
union all
select 'supplier_silent', s.supplier, null, s.unanswered_since, null from core.supplier_silence s where s.is_silent
union all
select 'supplier_circuit', s.code, null, s.open_since, null from supply.suppliers s where s.open_since is not null
union all
select k.kind, s.code, null, null, null
from supply.suppliers s
join (values ('balance', 'supplier_balance'::supply.alert_kind), ('credentials', 'supplier_credentials'),
  ('settings', 'supplier_settings')) as k (trouble, kind) on k.trouble = s.trouble
union all
select 'supplier_sync', s.code, null, least(l.since, b.since), concat_ws('; ',
  case when l.since is not null then format('its costs and stock are outdated: %s',
    coalesce(s.sync_error, 'no worker has read them')) end,
  case when b.since is not null then format('our balance there is outdated: %s',
    coalesce(b.error, 'no worker has read it')) end)
from supply.suppliers s
left join supply.supplier_syncs y on y.supplier = s.code
left join lateral (
  select l.since from (select coalesce(s.synced_at, y.failing_since, s.sync_due_at) as since) as l
  where l.since < now() - 4 * s.sync_every) as l on true
-- Without a threshold nobody watches it. It is read every five minutes.
left join lateral (
  select r.since, r.error from (
    select coalesce(b.read_at, s.updated_at) as since, b.error, b.due_at
    from supply.supplier_balances b where b.supplier = s.code and s.balance_threshold is not null) as r
  where r.since < now() - interval '20 minutes' and (r.error is not null or r.due_at < now() - interval '20 minutes')
) as b on true
where s.active and (l.since is not null or b.since is not null)
union all
select 'supplier_balance_low', s.code, null, b.changed_at, format('our balance there is %s %s, its threshold is %s',
  trim_scale(b.balance), b.currency, s.balance_threshold)
from supply.suppliers s join supply.supplier_balances b on b.supplier = s.code
where s.active and b.balance <= s.balance_threshold
union all
-- Its alerts have the timeline as their subject, and all end together.
select 'failover_loss', null, null, coalesce(o.moved_at, o.recorded_at), null
from supply.origin o where o.lost <> '{}'
union all
select 'audit', b.check_name, null, b.found_at, null from supply.audit_breaches b
union all
select 'wrong_clock', w.process_name, null, w.since, null
from supply.wrong_clocks w where w.seen_at > now() - interval '1 minute'
union all
select 'low_balance', a.currency, a.id, (
    select max(l.created_at) from supply.ledger l where l.account_id = a.id and l.seq = a.last_seq),
  format('%s has %s %s, its threshold is %s', a.name, a.balance, a.currency, a.low_balance_threshold)
from supply.accounts a
where a.low_balance_threshold > 0 and a.balance <= a.low_balance_threshold and a.active
union all
select 'stock_low', t.supplier || '/' || t.sku, null, t.set_at,
  format('sku %s of supplier %s has %s free codes, its threshold is %s', t.sku, t.supplier, f.free, t.free)
from supply.stock_thresholds t
cross join lateral (
  select count(*) as free from (
    select from supply.stock_codes c
    where c.supplier = t.supplier and c.sku = t.sku and core.is_sellable(c) limit t.free) as c
) as f
where f.free < t.free
union all
select 'alert_webhook', 'ALERT_WEBHOOK_URL', null, min(j.created_at),
  format('%s alerts were not accepted by ALERT_WEBHOOK_URL: %s', count(*), min(j.last_error))
from core.jobs j where j.task = 'alert_operators' and j.last_error is not null and j.attempts >= 3
having count(*) > 0
union all
-- Without the rights of pg_read_all_stats, only the sessions of the asking role are seen.
select 'old_snapshot', 'session ' || s.pid, null, s.xact_start,
  format('session %s of login %s (%s, %s) has held a transaction open since %s: no table can be cleaned up, and the '
    'queue becomes slow; pg_terminate_backend(%s) ends it', s.pid, s.usename,
    coalesce(nullif(s.application_name, ''), 'no name'), s.state, date_trunc('second', s.xact_start), s.pid)
from pg_stat_activity s
where s.xact_start < now() - interval '5 minutes' and (s.backend_xmin is not null or s.backend_xid is not null)
  and s.backend_type = 'client backend'
union all
select 'slot_behind', r.slot_name, null, null,
  format('replication slot %s keeps %s of WAL (%s): the disk fills; start its reader, or drop it with '
    'pg_drop_replication_slot', r.slot_name, pg_size_pretty(r.behind), r.wal_status)
from (
  select s.*, pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn) as behind from pg_replication_slots s
  where not pg_is_in_recovery()) as r
where r.behind > 1e9
union all
select 'jobs_growing', 'graphile_worker', null, null,
  format('the queue''s table has %s dead rows for %s jobs: an old transaction, or a vacuum that does not run, keeps '
    'them', t.n_dead_tup, t.n_live_tup)
from pg_stat_all_tables t
where t.schemaname = 'graphile_worker' and t.relname = '_private_jobs' and t.n_dead_tup > 200000
union all
select 'notify_queue', 'notifications', null, null,
  format('the queue of notifications is filled to %s %%: a session that listens is in a long transaction; when it is '
    'full, orders get 503', round((100 * q.filled)::numeric, 1))
from (select pg_notification_queue_usage() as filled) as q where q.filled > 0.1;
comment on view core.problems is
  'What stands wrong now, each predicate once: ops.attention, the raising and closing of alerts and the metrics read it.
subject and account_id are those of the alert; detail is null where others say it. Workers see more of the sessions than
operators: these read the alert.';
