-- Roles: owner
create or replace function ops.add_operator(name text, roles text[] default '{operator}')
returns text
language plpgsql security invoker set search_path = pg_catalog, pg_temp
as $$
declare
  words constant text[] := array['operator', 'support', 'trade', 'finance', 'analyst'];
  password text;
  word text;
begin
  -- It has only the rights of its caller, so that a caller who may not create logins cannot create one by it.
  if not exists (select from pg_roles r where r.rolname = current_user and (r.rolsuper or r.rolcreaterole)) then
    raise exception '% may not create logins', current_user using errcode = 'insufficient_privilege',
      hint = 'Call it with the login of npm run migrate.';
  elsif name is null or name !~ '^[a-z][a-z0-9_]{0,62}$' or name ~ '^(pg|supply)_' then
    raise exception 'name must have 1 to 63 small Latin letters, digits and underscores, and not begin with pg_ or '
      'supply_'
      using errcode = 'invalid_parameter_value',
        hint = 'Such as the operator''s first name: select ops.add_operator(''anna'')';
  elsif coalesce(cardinality(roles), 0) = 0 or not roles <@ words then
    raise exception 'roles must be some of %', array_to_string(words, ', ')
      using errcode = 'invalid_parameter_value',
        hint = 'Such as select ops.add_operator(''anna'', ''{support,finance}''); operator is all but the analyst.';
  elsif exists (select from pg_roles r where r.rolname = add_operator.name) then
    raise exception 'there is a login % already', name using errcode = 'duplicate_object', hint = format(
      'A new password: \password %1$s. Another role: grant supply_finance to %1$s. To take its rights away: drop role '
        '%1$s', name);
  end if;
  password := substr(encode(core.random_bytes(), 'hex'), 1, 48);
  execute format('create role %I login password %L', name, password);
  foreach word in array roles loop
    execute format('grant %I to %I', 'supply_' || word, name);
  end loop;
  perform core.limit_operator(name);
  perform core.log_operator('add_operator', 'login ' || name, jsonb_build_object('roles', roles));
  raise notice 'login % is created, with the rights of: %', name, array_to_string(roles, ', ');
  return password;
end
$$;
comment on function ops.add_operator is
  'Creates a database login with the rights of roles (operator, support, trade, finance, analyst) and returns its
password, shown only once. Its transactions and waits are bounded, so that a forgotten one does not block the service.
It has the rights of its caller: the login that migrates may call it.';
