create or replace function core.current_origin()
returns supply.origin
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  origin supply.origin;
begin
  origin.id := true;
  if has_function_privilege('pg_control_system()', 'execute') then
    origin.cluster := (select s.system_identifier::text from pg_control_system() s);
  end if;
  origin.database_oid := (select d.oid from pg_database d where d.datname = current_database());
  origin.timeline := core.current_timeline();
  origin.recorded_at := now();
  return origin;
end
$$;
comment on function core.current_origin is
  'Returns the identity of this database: its cluster, its oid there and its timeline. A restored dump has another oid
or cluster; a restored base back-up, and a promoted standby, has another timeline. Raises on a standby.';
