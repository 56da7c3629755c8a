create or replace function work.compare_jobs(
  pool_ids text[], known_ids bigint[], lost_ids bigint[], lost_locked_at timestamptz[]
)
returns table (job_id bigint, locked_at text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if cardinality(lost_ids) > 0 then
    perform core.return_jobs(pool_ids, lost_ids, lost_locked_at);
  end if;
  update supply.worker_pools p set lost_jobs = unknown.jobs
  from (
    select w.pool_id, array(
      select j.id from core.jobs j
      where not j.is_available and j.locked_by = w.pool_id and j.id <> all (known_ids) order by j.id) as jobs
    from supply.worker_pools w where w.pool_id = any (pool_ids) offset 0
  ) as unknown
  where p.pool_id = unknown.pool_id and p.lost_jobs <> unknown.jobs;
  return query
  select j.id, j.locked_at::text
  from supply.worker_pools p
  join core.jobs j on j.id = any (p.lost_jobs) and j.locked_by = p.pool_id
  where p.pool_id = any (pool_ids) and p.lost_jobs <> '{}';
end
$$;
comment on function work.compare_jobs is
  'Gives back the lost jobs that are still locked as returned, as if they had not been taken. Returns the jobs that the
pools have locked but the process does not know: their fetch or completion is under way, or its answer was lost.
lost_locked_at: as returned. Call it every 5 s.';
