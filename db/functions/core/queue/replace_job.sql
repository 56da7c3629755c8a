create or replace function core.replace_job(job core.jobs, run_at timestamptz)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  key_prefix constant text :=
    case when job.task in ('call_supplier', 'settle_simulation') then job.task else 'deliver_webhook' end;
  job_key constant text := key_prefix || ':' || job.subject;
  -- The first call of an item never had a key. Any other job without one had a successor, which may be done by now.
  has_successor constant boolean := job.key is null and exists (select from core.jobs j where j.key = job_key);
  is_over constant boolean := job.key is null and job.attempts >= job.max_attempts
    and not exists (select from supply.order_items i where i.id = job.subject and i.completed_at is null)
    and not exists (select from supply.events e where e.id = job.subject and e.state not in ('delivered', 'dead'));
  -- Another transaction that has locked the row may be adding the job with the key: this one would wait for it.
  is_held constant boolean := job.key is null and (case
    when exists (select from supply.order_items i where i.id = job.subject)
      then (select true from supply.order_items i where i.id = job.subject for no key update skip locked)
    when exists (select from supply.events e where e.id = job.subject)
      then (select true from supply.events e where e.id = job.subject for no key update skip locked)
    else true
  end) is null;
begin
  perform graphile_worker.complete_jobs(array[job.id]);
  if has_successor or is_over then
    return;
  end if;
  if is_held then
    perform core.enqueue_busy(job.task, array[job.subject]);
    return;
  end if;
  perform core.enqueue(job.task, array[job.subject], array[replace_job.run_at], key_prefix);
  perform graphile_worker.reschedule_jobs(
    array(select j.id from core.jobs j where j.key = job_key), attempts => least(job.attempts, job.max_attempts - 1));
end
$$;
comment on function core.replace_job is
  'Deletes an unlocked job of an item, an event or a simulated order. Unless a later job exists, it adds another, due at
run_at with the same count of attempts; where another transaction has locked the row, within a second and without a
key. If a live worker still has the job and deletes it too, nothing is lost.';
