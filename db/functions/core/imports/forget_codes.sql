create or replace function core.forget_codes(import_id bigint)
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  delete from supply.import_lines l
  where l.import_id = forget_codes.import_id
    and (select i.kind from supply.imports i where i.id = forget_codes.import_id) = 'codes'
$$;
comment on function core.forget_codes is
  'Removes the lines of an import that ended, if it is one of codes; ops.imports keeps their numbers.';
