create or replace function work.remove_pools(pool_ids text[])
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  delete from supply.worker_pools p where p.pool_id = any (remove_pools.pool_ids)
$$;
comment on function work.remove_pools is
  'Deletes the pools of a process that ended in order, after it gave its jobs back.';
