create or replace function core.replace_job(job core.jobs, run_at timestamptz)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  key_of constant text := case job.task when 'call_supplier' then 'call_supplier' else 'deliver_webhook' end;
  its_key constant text := key_of || ':' || job.subject;
begin
  perform graphile_worker.complete_jobs(array[job.id]);
  -- A job without its key has a later one, but for the first call of an item: that never had a key.
  if job.key is null and (job.attempts >= job.max_attempts or exists (select from core.jobs j where j.key = its_key)) then
    return;
  end if;
  perform core.enqueue(job.task, array[job.subject], array[replace_job.run_at], key_of);
  perform graphile_worker.reschedule_jobs(
    array(select j.id from core.jobs j where j.key = its_key), attempts => least(job.attempts, job.max_attempts - 1));
end
$$;
comment on function core.replace_job is
  'Deletes an unlocked job of an item or an event and sees to it that there is another, due at run_at with as many tries behind it: nothing is '
  'lost if the worker that had it lives after all and deletes it, too.';
