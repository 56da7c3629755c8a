create or replace function core.require(
  condition boolean, message text, code text default 'invalid_parameter_value', hint text default ''
)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if condition is not true then
    raise exception using message = require.message, errcode = require.code, hint = require.hint;
  end if;
end
$$;
comment on function core.require is
  'Raises the message, with the condition name or SQLSTATE given as code and a hint what to do, unless the condition is true; null is not '
  'true. A function of operators raises it anew in its own name, with core.hint_for, so that psql shows one line of context.';
