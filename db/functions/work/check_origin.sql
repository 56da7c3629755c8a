create or replace function work.check_origin()
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  here supply.origin := core.current_origin();
  recorded supply.origin;
begin
  select o.* into recorded from supply.origin o;
  if not found then
    perform core.record_origin();
    return null;
  end if;
  return case
    when here.database_oid <> recorded.database_oid or here.cluster <> recorded.cluster then
      format('this database was restored or copied from another one, where a worker ran on %s',
        recorded.recorded_at::date)
    -- A promoted standby has a new timeline, too, but no target.
    when here.timeline <> recorded.timeline and exists (
      select from pg_settings s
      where s.name in ('recovery_target', 'recovery_target_lsn', 'recovery_target_name', 'recovery_target_time',
          'recovery_target_xid')
        and s.setting <> '')
    then 'this database was recovered to a point in time'
  end;
end
$$;
comment on function work.check_origin is
  'Returns why no worker may start: the database was restored, and what was sent after the back-up could be sent
again; null: one may. The first call records where the database is, later work.follow_timeline,
ops.begin_recovery or ops.confirm_origin.';
