create or replace function work.remove_pools(lock_id bigint)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  delete from supply.worker_pools p where p.lock_key = remove_pools.lock_id
$$;
comment on function work.remove_pools is 'Removes the pools of a process that ended in order, after it gave its jobs back.';
