create or replace function work.register_pool(pool_id text, lock_id bigint)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  insert into supply.worker_pools as p (pool_id, lock_key) values (register_pool.pool_id, register_pool.lock_id)
  on conflict on constraint worker_pools_pkey do update set lock_key = excluded.lock_key, seen_at = now(), misses = 0
$$;
comment on function work.register_pool is
  'Registers a pool of workers for the sweeper, with the id of the advisory lock that its process holds while it lives.';
