create or replace function work.run_audit()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
  -- It reads whole tables, which the settings of the worker's connections are not for.
  set enable_seqscan = on set enable_hashjoin = on set enable_mergejoin = on set plan_cache_mode = force_custom_plan
as $$
declare
  began_at constant timestamptz := clock_timestamp();
  failed text[];
  messages text[];
  total int;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('run_audit', 0))
    or exists (select from supply.audit_runs r where r.ran_at > began_at - interval '50 s')
  then
    return null;
  end if;
  select coalesce(array_agg(f.check_name order by f.check_name), '{}'),
    array_agg(f.first || case when f.count > 1 then format(' (and %s more)', f.count - 1) else '' end order by f.check_name),
    coalesce(sum(f.count), 0)
  into failed, messages, total
  from (select a.check_name, count(*) as count, min(a.detail) as first from ops.audit a group by a.check_name) as f;
  insert into supply.audit_runs as r (ran_at, breaches, checks) values (clock_timestamp(), total, failed)
  on conflict on constraint audit_runs_pkey do update set ran_at = excluded.ran_at, breaches = excluded.breaches, checks = excluded.checks;
  perform core.raise_alerts(array(select 'audit:' || c.name from unnest(failed) with ordinality as c (name, place) order by c.place), messages);
  return total;
end
$$;
comment on function work.run_audit is
  'Runs the audit (ops.audit), raises an alert for each check that does not hold, and returns how many rows there are: 0 while all is well. Call it '
  'every minute from each worker: null, and nothing was done, where another one runs it, or did less than 50 s ago.';
