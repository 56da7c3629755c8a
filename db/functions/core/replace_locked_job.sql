create or replace function core.replace_locked_job(task text, subject uuid, key text, tries int, max_attempts int, run_at timestamptz)
returns void
language plpgsql set search_path = ''
as $$
#variable_conflict use_variable
declare
  key_of constant text := case task when 'call_supplier' then task else 'deliver_webhook' end;
begin
  -- A job without its key has a later one, but for the first call of a line: that never had a key.
  if key is null and (tries >= max_attempts or exists (select from core.jobs j where j.key = key_of || ':' || subject)) then
    return;
  end if;
  perform core.enqueue(task, array[subject], array[replace_locked_job.run_at], key_of);
  perform graphile_worker.reschedule_jobs(
    array(select j.id from core.jobs j where j.key = key_of || ':' || subject), attempts => least(tries, max_attempts - 1));
end
$$;
comment on function core.replace_locked_job is
  'Sees to it that a line or an event whose job is locked by a dead worker has another job, due at run_at with as many tries behind it, if '
  'it has none. The locked one can then be deleted, and nothing is lost if its worker lives after all and deletes it, too.';
revoke all on function core.replace_locked_job from public;
