create or replace function core.dead_pools()
returns text[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array(
    select p.pool_id from supply.worker_pools p
    where p.seen_at < now() - interval '60 s'
      -- A restart of the database drops the locks of living workers too: they get a minute to end their work. No longer,
      -- for a database that restarts again and again would have nobody's jobs freed.
      or p.misses >= 2 and (p.started_at > pg_postmaster_start_time() or pg_postmaster_start_time() < now() - interval '60 s')
    union
    select j.locked_by from core.jobs j
    where not j.is_available and j.locked_at < now() - interval '60 s'
      and not exists (select from supply.worker_pools p where p.pool_id = j.locked_by)
  )
$$;
comment on function core.dead_pools is
  'The pools whose process is gone: its lock was free in two sweeps running, or its heartbeat is 60 s old, or it holds jobs and never registered.';
