create or replace function core.require(condition boolean, message text, code text default 'invalid_parameter_value')
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if condition is not true then
    raise exception using message = require.message, errcode = require.code;
  end if;
end
$$;
comment on function core.require is
  'Raises the message, with the condition name or SQLSTATE given as code, unless the condition is true; null is not '
  'true.';
