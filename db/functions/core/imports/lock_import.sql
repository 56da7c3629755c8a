create or replace function core.lock_import(import_id bigint)
returns supply.imports
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  import supply.imports := core.find_import(import_id);
begin
  select i.* into import from supply.imports i where i.id = import.id for update;
  perform core.require(import.state = 'loaded', format('import %s is %s already, since %s', import.id, import.state,
    import.ended_at::timestamptz(0)), 'object_not_in_prerequisite_state', 'To load the file again makes a new import.');
  return import;
end
$$;
comment on function core.lock_import is
  'Returns the import that core.find_import finds, locked until the transaction ends. Raises if it was applied or
discarded.';
