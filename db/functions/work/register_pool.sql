create or replace function work.register_pool(pool_id text)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  insert into supply.worker_pools as p (pool_id) values (register_pool.pool_id)
  on conflict on constraint worker_pools_pkey do update set seen_at = now()
$$;
comment on function work.register_pool is
  'Registers a pool of workers for the sweeper, before it fetches its first jobs.';
