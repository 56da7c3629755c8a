create or replace function core.free_dead_pools()
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  gone text[] := array(
    select distinct j.locked_by from core.jobs j
    where j.locked_by is not null and not exists (
      select from supply.worker_pools p where p.pool_id = j.locked_by and p.seen_at > now() - interval '10 s'));
begin
  perform graphile_worker.force_unlock_workers(gone);
  delete from supply.worker_pools p where p.seen_at <= now() - interval '10 s';
end
$$;
comment on function core.free_dead_pools is
  'Frees the jobs of all pools without a heartbeat in the last 10 s. After a restore their processes are gone or work
elsewhere.';
