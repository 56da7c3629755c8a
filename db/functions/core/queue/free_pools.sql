create or replace function core.free_pools(pools text[])
returns int
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  subjects uuid[] := array(
    select distinct j.subject from core.jobs j
    where not j.is_available and j.locked_by = any (pools) and j.subject is not null and j.task <> 'alert_operators'
      -- A live pool may run a later job of the same subject: the lease is its own.
      and not exists (
        select from core.jobs o where not o.is_available and o.subject = j.subject and o.locked_by <> all (pools)));
  items constant uuid[] := array(
    select i.id from supply.order_items i
    where i.id = any (subjects) and i.completed_at is null and i.lease_expires_at > now()
    -- A transaction that holds the lock of an item records its result at this moment.
    order by i.id for no key update skip locked);
  jobs core.jobs[];
  job core.jobs;
  retry_at timestamptz;
begin
  -- guard: a worker that was declared dead records nothing
  update supply.order_items i set lease_token = null, lease_expires_at = null, next_check_at = now()
  where i.id = any (items);
  perform core.lose_attempts(array(
    select e.id from supply.events e
    where e.state = 'sending' and e.lease_expires_at > now() and (e.id = any (subjects) or e.leased_by = any (pools))
    order by e.id for no key update skip locked), now());

  jobs := array(
    select j from core.jobs j
    where not j.is_available and (j.locked_by = any (pools) or j.locked_by is null and j.attempts >= j.max_attempts)
    order by j.id);
  -- A pool that still lives ends a job whose result meets the lock of this call.
  perform core.enqueue('call_supplier', array(
    select i from unnest(items) as i where i <> all (array(select j.subject from unnest(jobs) as j
      where j.subject is not null))), key => 'call_supplier');
  perform graphile_worker.force_unlock_workers(pools);
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
  delete from supply.worker_pools p where p.pool_id = any (pools);
  return cardinality(jobs);
end
$$;
comment on function core.free_pools is
  'Ends the leases of dead pools, of the jobs that they have locked and of first attempts: suppliers are asked for the
items, and the attempts are lost. Frees their jobs, and those at their last attempt, which the queue would never run
again; they run a little later. Returns how many jobs.';
