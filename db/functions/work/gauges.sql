create or replace function work.gauges()
returns table (
  events_waiting int, events_due int, events_sending int, dead_letters int, items_open int, items_stuck int,
  items_held int, oldest_due_job_seconds double precision, jobs_due int, jobs_taken int, events_queued int, slots int,
  slots_taken int, audit_breaches int, audit_at timestamptz, oldest_snapshot_seconds double precision,
  slot_behind_bytes double precision, jobs_dead_rows int, notify_queue_filled double precision
)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select
    e.waiting + e.queued + e.ready,
    e.waiting_due + e.queued + e.ready,
    e.sending,
    (select count(*)::int from core.problems p where p.kind = 'dead_letter'),
    (select count(*)::int from supply.order_items i where i.completed_at is null),
    (select count(*)::int from core.problems p where p.kind = 'item_stuck'),
    (select count(*)::int from core.problems p where p.kind = 'item_held'),
    (
      select coalesce(greatest(extract(epoch from now() - min(j.run_at)), 0), 0)::double precision
      from core.jobs j where j.is_in_turn and j.run_at <= now()
    ),
    (select count(*)::int from (select from core.jobs j where j.is_in_turn and j.run_at <= now() limit 10000) as due),
    (select count(*)::int from core.jobs j where not j.is_available),
    e.queued,
    (
      -- Of the accounts that have something to send now.
      select coalesce(sum(s.slots), 0)::int from supply.delivery_slots s
      where exists (select from supply.events q where q.account_id = s.account_id and q.state = 'queued')
        or exists (select from supply.events h where h.account_id = s.account_id and h.state in ('ready', 'sending'))
    ),
    e.ready + e.sending,
    (select r.breaches from supply.audit_runs r),
    (select r.ran_at from supply.audit_runs r),
    (
      select coalesce(extract(epoch from now() - min(s.xact_start)), 0)::double precision from pg_stat_activity s
      where (s.backend_xmin is not null or s.backend_xid is not null) and s.backend_type = 'client backend'
        and s.pid <> pg_backend_pid()
    ),
    (
      select coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn)), 0)::double precision
      from pg_replication_slots s where not pg_is_in_recovery()
    ),
    (
      select t.n_dead_tup::int from pg_stat_all_tables t
      where t.schemaname = 'graphile_worker' and t.relname = '_private_jobs'
    ),
    pg_notification_queue_usage()
  from (
    select
      (
        -- A partner that was away for a day leaves a million of these, and nobody acts upon their exact number.
        select case when count(*) < 10000 then count(*) else greatest(count(*), (
          select c.reltuples::bigint from pg_class c where c.oid = 'supply.events_rungs'::regclass)) end::int
        from (select from supply.events e where e.state = 'waiting' limit 10000) as sample
      ) as waiting,
      (select count(*)::int from supply.events e where e.state = 'waiting' and e.next_attempt_at <= now())
        as waiting_due,
      (select count(*)::int from supply.events e where e.state = 'queued') as queued,
      (select count(*)::int from supply.events e where e.state = 'ready') as ready,
      (select count(*)::int from supply.events e where e.state = 'sending') as sending
  ) as e
$$;
comment on function work.gauges is
  'Returns counts for the metrics in one row. jobs_due is at most 10,000. From 10,000 on, the number of events that
wait for a rung is PostgreSQL''s estimate. slots: of the accounts that are sending.
nullable: audit_breaches, audit_at';
