create or replace function work.heartbeat(pool_ids text[], places int)
returns int
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with beats as (
    insert into supply.worker_pools as p (pool_id, places)
    select id, heartbeat.places from unnest(pool_ids) as id order by id
    on conflict on constraint worker_pools_pkey do update set seen_at = now()
    returning p.started_at = p.seen_at as is_unknown
  )
  select count(*) filter (where b.is_unknown)::int from beats b
$$;
comment on function work.heartbeat is
  'Records the heartbeat of a process''s pools, and registers unknown ones; the first is before a pool fetches jobs.
places: how many calls to one supplier a pool makes at once, given at its first. Returns how many were unknown: a
process that is registered was declared dead, and must end.';
