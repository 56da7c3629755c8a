create or replace function work.sweep()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 500;
begin
  if not core.begin_periodic_task('sweep') then
    return 0;
  end if;
  -- No more than a statement has time for. The next call frees the rest.
  return core.free_pools(array(
    select c.pool_id
    from (
      select d.pool_id, sum(coalesce(held.jobs, 0)) over (order by d.pool_id) - coalesce(held.jobs, 0) as jobs_before
      from unnest(core.dead_pools()) as d (pool_id)
      left join (
        select j.locked_by, count(*)::int as jobs from core.jobs j where not j.is_available group by j.locked_by
      ) as held on held.locked_by = d.pool_id
    ) as c
    where c.jobs_before < at_once));
end
$$;
comment on function work.sweep is
  'Frees the jobs and leases of dead worker pools (core.free_pools). Returns how many jobs. Call it every 2 s from each
worker after the heartbeat, again until it returns 0; only one runs at a time.';
