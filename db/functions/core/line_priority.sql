create or replace function core.line_priority()
returns int
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select 1 $$;
comment on function core.line_priority is
  'The priority of jobs whose events stand in line; all others have 0.';
revoke all on function core.line_priority from public;
