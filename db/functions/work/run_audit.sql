create or replace function work.run_audit()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
  -- It reads whole tables, which the settings of the worker's connections are not for.
  set enable_seqscan = on set enable_hashjoin = on set enable_mergejoin = on set plan_cache_mode = force_custom_plan
as $$
declare
  began_at constant timestamptz := clock_timestamp();
  -- So many rows of a check are counted one by one.
  told_apart constant int := 1000;
  failed text[];
  breaches supply.occurrence[];
  total int;
begin
  if not core.begin_periodic_task('run_audit')
    or exists (select from supply.audit_runs r where r.ran_at > began_at - interval '50 s')
  then
    return null;
  end if;
  with found as materialized (
    select a.check_name, a.detail, a.is_looked_at_each_time, a.subject,
      row_number() over (partition by a.check_name order by a.detail) as place
    from core.audit a
  ), known as (
    insert into supply.audit_breaches as b (check_name, subject, is_looked_at_each_time)
    select f.check_name, f.subject, bool_and(f.is_looked_at_each_time) from found f
    where f.place <= told_apart group by f.check_name, f.subject order by f.check_name, f.subject
    on conflict (check_name, subject) do update set seen_at = excluded.seen_at
    returning b.check_name, b.subject, b.found_at = b.seen_at as is_new
  ), failed as (
    select f.check_name, count(*) as count,
      coalesce(min(f.detail) filter (where k.is_new), min(f.detail)) as first,
      coalesce(bool_or(k.is_new), false) as is_new
    from found f left join known k on k.check_name = f.check_name and k.subject = f.subject
    group by f.check_name
  )
  select coalesce(array_agg(f.check_name order by f.check_name), '{}'),
    coalesce(array_agg(row('audit', f.check_name, null, f.first || case
        when f.count > 1 then format(' (and %s more)', f.count - 1) else '' end)::supply.occurrence)
      filter (where f.is_new or not is_open), '{}'),
    coalesce(sum(f.count), 0)
  into failed, breaches, total
  from failed f
  cross join lateral (
    select exists (
      select from core.alerts al
      where al.kind = 'audit' and al.subject = f.check_name and al.closed_at is null) as is_open) as o;
  delete from supply.audit_breaches b
  where b.seen_at < now() - case
    when b.is_looked_at_each_time then interval '0' else (select max(s.round) from core.audit_scope s) end;
  insert into supply.audit_runs as r (ran_at, breaches, checks) values (clock_timestamp(), total, failed)
  on conflict on constraint audit_runs_pkey do update set
    ran_at = excluded.ran_at, breaches = excluded.breaches, checks = excluded.checks;
  perform core.raise_alerts(breaches);
  return total;
end
$$;
comment on function work.run_audit is
  'Runs ops.audit, and returns how many rows it has: 0 while all is well. Alerts operators of each check that fails,
and again where a row is new. Null: nothing was done, because another run is under way, or ended less than 50 s ago.';
