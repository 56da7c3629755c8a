create or replace function core.dead_pools()
returns text[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array(
    select p.pool_id from supply.worker_pools p
    where p.seen_at < now() - interval '10 s'
      -- While the database was down, no worker could write its heartbeat. A database that restarts repeatedly must not
      -- keep the jobs of dead workers.
      and (p.started_at > pg_postmaster_start_time() or pg_postmaster_start_time() < now() - interval '20 s'
        or p.seen_at < now() - interval '60 s')
    union
    select j.locked_by from core.jobs j
    where not j.is_available and j.locked_at < now() - interval '60 s'
      and not exists (select from supply.worker_pools p where p.pool_id = j.locked_by))
$$;
comment on function core.dead_pools is
  'Returns the pools whose heartbeat is 10 s old, and those that hold jobs and never registered. In the first 20 s
after a start of the database, pools that started before it have 60 s.';
