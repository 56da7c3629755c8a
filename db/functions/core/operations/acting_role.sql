create or replace function core.acting_role()
returns name
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- current_user is the owner within the functions that operators call.
  select coalesce(nullif(current_setting('role'), 'none'), session_user)::name
$$;
comment on function core.acting_role is
  'Returns the role whose rights the session has outside of these functions: the login, or the role that it set. Who
did something is session_user, which no login can change.';
