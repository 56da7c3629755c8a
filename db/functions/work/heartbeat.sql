create or replace function work.heartbeat(lock_id bigint, pool_ids text[])
returns int
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with unknown as (
    insert into supply.worker_pools as p (pool_id, lock_key)
    select id, heartbeat.lock_id from unnest(pool_ids) as id
    on conflict on constraint worker_pools_pkey do nothing
    returning p.pool_id
  ), beat as (
    update supply.worker_pools p set seen_at = now() where p.lock_key = heartbeat.lock_id
  )
  select count(*)::int from unknown
$$;
comment on function work.heartbeat is
  'Records the heartbeat of the pools of the process that holds the lock. Pools that the sweepers do not know are registered; returns how many. '
  'There are none but in a process that never registered them, or that was taken for dead: its work is in other hands then.';
