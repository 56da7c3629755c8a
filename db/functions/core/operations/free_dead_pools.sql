create or replace function core.free_dead_pools()
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  gone text[] := array(
    select distinct j.locked_by from core.jobs j
    where j.locked_by is not null and not exists (
      select from supply.worker_pools p where p.pool_id = j.locked_by and core.lock_is_held(p.lock_key)));
begin
  perform graphile_worker.force_unlock_workers(gone);
  delete from supply.worker_pools p where not core.lock_is_held(p.lock_key);
end
$$;
comment on function core.free_dead_pools is
  'Frees at once the jobs of all pools whose process holds no lock in this database, as after a restore: their processes work elsewhere or are gone.';
