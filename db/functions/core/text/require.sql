create or replace function core.require(
  condition boolean, message text, code text default 'invalid_parameter_value', hint text default ''
)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  context text;
begin
  if condition is not true then
    get diagnostics context = pg_context;
    raise exception using message = require.message, errcode = require.code, hint = coalesce(
      nullif(require.hint, ''),
      -- The innermost function of operators among the callers; one in SQL is named without its schema.
      format('Its arguments and what it does: select * from ops.help(%L)', coalesce(
        substring(context from 'function ops\.(\w+)\('), substring(context from 'SQL function "(\w+)"'))));
  end if;
end
$$;
comment on function core.require is
  'Raises the message, with a condition name or SQLSTATE as code and a hint what to do, unless the condition is true;
null is not true. Without a hint, the hint names the help of the operators'' function that called.';
