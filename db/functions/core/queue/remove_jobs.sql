create or replace function core.remove_jobs(key text, ids uuid[])
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  select from graphile_worker.complete_jobs(array(
    select j.id from core.jobs j where j.key = any (array(select remove_jobs.key || ':' || i from unnest(ids) as i))))
$$;
comment on function core.remove_jobs is
  'Deletes the jobs with this key of these items or events, unless a worker has them.';
