create or replace function work.rescue_jobs()
returns int
language plpgsql security definer set search_path = ''
as $$
declare
  dead text[];
  jobs bigint[];
  tries record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('rescue_jobs', 0)) then
    return 0;
  end if;
  update supply.worker_pools p set
    misses = case when core.lock_is_held(p.lock_key) then 0 else p.misses + 1 end, checked_at = now()
  where p.checked_at < now() - interval '4 s';

  dead := core.dead_pools();
  jobs := array(select j.id from graphile_worker.jobs j where j.locked_by = any (dead));
  perform graphile_worker.force_unlock_workers(dead);
  -- A job that kills its worker must not come back at once each time. One that was replaced while its worker had it counts as
  -- used up: it may run once more, and finds nothing to do.
  for tries in
    select distinct j.attempts, j.max_attempts from graphile_worker.jobs j where j.id = any (jobs)
  loop
    perform graphile_worker.reschedule_jobs(
      array(
        select j.id from graphile_worker.jobs j
        where j.id = any (jobs) and (j.attempts, j.max_attempts) = (tries.attempts, tries.max_attempts)),
      run_at => now() + least(power(2, least(tries.attempts, 10) - 1), 300) * interval '1 s',
      attempts => least(tries.attempts, tries.max_attempts - 1));
  end loop;
  delete from supply.worker_pools p where p.pool_id = any (dead);
  return cardinality(jobs);
end
$$;
comment on function work.rescue_jobs is
  'Frees the jobs that dead worker pools had locked, to be run again a little later; gives how many. Call it every 5 s from each worker; '
  'calls at the same time do nothing. Claims keep a worker that was thought dead from doing harm.';
revoke all on function work.rescue_jobs from public;
grant execute on function work.rescue_jobs to supply_worker;
