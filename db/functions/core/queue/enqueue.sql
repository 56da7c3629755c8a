create or replace function core.enqueue(
  task text, ids uuid[], run_at timestamptz[] default null, key text default null
)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  added int;
  taken text[] := '{}';
begin
  if cardinality(ids) = 0 then
    return;
  end if;
  -- add_jobs would keep the id of a waiting job. A worker may run that one though a crash lost its lock, and deletes
  -- it by its id when it ends.
  if key is not null then
    perform core.remove_jobs(key, ids);
    -- add_jobs would lock a job that a worker has, and its end would wait, with those of others, for an operator's
    -- transaction. Such a job keeps its key, and the new one has none.
    if not pg_has_role(core.acting_role(), 'supply_worker', 'usage')
      and not pg_has_role(core.acting_role(), 'supply_api', 'usage') then
      taken := array(
        select j.key from core.jobs j where j.key = any (array(select enqueue.key || ':' || i from unnest(ids) as i)));
    end if;
  end if;
  select count(job.id) into added
  from graphile_worker.add_jobs(array(
    select row(
      task, json_build_object('id', ids[i]), null, enqueue.run_at[i], 1000,
      case when enqueue.key || ':' || ids[i] <> all (taken) then enqueue.key || ':' || ids[i] end, 0, null
    )::graphile_worker.job_spec
    from generate_subscripts(ids, 1) as i
  )) as job;
  -- A keyed job that is being fetched at this very moment can make add_jobs skip it silently (issue 580 of the queue).
  if added <> cardinality(ids) then
    raise exception 'the queue took % of % jobs of %', added, cardinality(ids), task
      using errcode = 'serialization_failure';
  end if;
  -- The notification of add_jobs does not name the task.
  perform pg_notify('jobs:insert', concat_ws(' ', task, nullif(50 * due.steps, 0)))
  from (
    select distinct greatest(0, ceil(20 * extract(epoch from at - clock_timestamp()))) as steps
    from unnest(coalesce(enqueue.run_at, array[null::timestamptz])) as at
  ) as due
  where due.steps <= 1200;
end
$$;
comment on function core.enqueue is
  'Adds a job {"id": …} of the task for each id, due at the run_at of the same place or now, and notifies the workers
of the task and the ms until then; a poll finds what is due after a minute. With a key, a job replaces the waiting one
of its key and id; ids must be distinct then. Raises serialization_failure if the queue did not take every job.';
