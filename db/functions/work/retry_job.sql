create or replace function work.retry_job(task text, id uuid)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select core.enqueue_busy(retry_job.task, array[retry_job.id])
$$;
comment on function work.retry_job is
  'Adds a job of the task for the id, due within a second, in place of one that met a lock of another transaction.';
