create or replace function core.find_import(import_id bigint, kind text default null)
returns supply.imports
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  import supply.imports;
begin
  select i.* into import from supply.imports i
  where case when find_import.import_id is null
    then i.operator = session_user and (find_import.kind is null or i.kind = find_import.kind)
    else i.id = find_import.import_id end
  order by i.id desc limit 1;
  perform core.require(import.id is not null, case when import_id is null then 'your login has loaded no import'
    else format('there is no import %s', import_id) end, 'no_data_found', 'ops.imports lists the imports.');
  return import;
end
$$;
comment on function core.find_import is
  'Returns the import of that number; null: the latest of the login, of a kind or of any (null). Raises
no_data_found if there is none.';
