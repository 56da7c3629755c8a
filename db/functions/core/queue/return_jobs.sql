create or replace function core.return_jobs(pools text[], ids bigint[], locked_at timestamptz[])
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  -- As the queue gives a job back. Its own function for others frees all jobs of a pool.
  update graphile_worker._private_jobs j set
    locked_by = null, locked_at = null, attempts = greatest(0, j.attempts - 1)
  from unnest(ids, return_jobs.locked_at) as lost (id, locked_at)
  where j.id = lost.id and j.locked_at = lost.locked_at and j.locked_by = any (pools)
$$;
comment on function core.return_jobs is
  'Gives back the jobs that these pools have locked since these times, as if they had not been taken.';
