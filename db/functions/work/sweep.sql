create or replace function work.sweep()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 500;
  dead text[];
  items uuid[];
  jobs core.jobs[];
  job core.jobs;
  retry_at timestamptz;
begin
  if not core.begin_periodic_task('sweep') then
    return 0;
  end if;
  -- No more than a statement has time for. The next call frees the rest.
  dead := array(
    select c.pool_id
    from (
      select d.pool_id, sum(coalesce(held.jobs, 0)) over (order by d.pool_id) - coalesce(held.jobs, 0) as jobs_before
      from unnest(core.dead_pools()) as d (pool_id)
      left join (
        select j.locked_by, count(*)::int as jobs from core.jobs j where not j.is_available group by j.locked_by
      ) as held on held.locked_by = d.pool_id
    ) as c
    where c.jobs_before < at_once);
  -- First: the jobs that it adds stand beside those that are still locked.
  -- guard: the leases of dead workers end at once
  items := core.end_leases(dead);
  jobs := array(
    select j from core.jobs j
    where not j.is_available and (j.locked_by = any (dead) or j.locked_by is null and j.attempts >= j.max_attempts)
    order by j.id);
  -- A pool that still lives ends a job whose result meets the lock of this call.
  perform core.enqueue('call_supplier', array(
    select i from unnest(items) as i where i <> all (array(select j.subject from unnest(jobs) as j
      where j.subject is not null))), key => 'call_supplier');
  perform graphile_worker.force_unlock_workers(dead);
  foreach job in array jobs loop
    -- A job that kills its worker must not run again at once each time.
    retry_at := now() + least(power(2, least(job.attempts, 10) - 1), 300) * interval '1 s';
    if job.subject is null or job.task = 'alert_operators' then
      perform graphile_worker.reschedule_jobs(
        array[job.id], run_at => retry_at, attempts => least(job.attempts, job.max_attempts - 1));
    else
      perform core.replace_job(job, retry_at);
    end if;
  end loop;
  delete from supply.worker_pools p where p.pool_id = any (dead);
  return cardinality(jobs);
end
$$;
comment on function work.sweep is
  'Frees jobs of dead worker pools, and jobs at their last attempt, which the queue would never run again; they run a
little later. Ends the leases of dead pools. Returns how many jobs. Call it every 2 s from each worker after the
heartbeat, again until it returns 0; only one runs at a time.';
