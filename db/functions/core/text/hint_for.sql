create or replace function core.hint_for(function_name text, hint text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
return coalesce(nullif(hint_for.hint, ''), format('Its arguments and what it does: select * from ops.help(%L)', function_name));
comment on function core.hint_for is
  'The hint of a refusal of a function of operators: the given one, or where that is empty, where its description stands.';
