create or replace function work.heartbeat(lock_id bigint, pool_ids text[] default '{}')
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  insert into supply.worker_pools as p (pool_id, lock_key)
  select id, heartbeat.lock_id from unnest(pool_ids) as id
  on conflict on constraint worker_pools_pkey do nothing;
  update supply.worker_pools p set seen_at = now() where p.lock_key = heartbeat.lock_id
$$;
comment on function work.heartbeat is
  'The heartbeat of the process that holds the lock: its pools are alive. Those that a sweeper took for dead are made known to it again.';
