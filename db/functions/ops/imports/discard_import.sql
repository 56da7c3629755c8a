-- Roles: trade, finance
create or replace function ops.discard_import(import_id bigint default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  import supply.imports := core.lock_import(import_id);
begin
  import := core.count_lines(import.id, array(select j from core.judge_import(import.id, 0) as j));
  update supply.imports i set state = 'discarded', ended_at = clock_timestamp() where i.id = import.id;
  perform core.forget_codes(import.id);
  perform core.log_operator('discard_import', 'import ' || import.id, jsonb_build_object('kind', import.kind,
    'lines', import.lines, 'loaded_by', import.operator));
  raise notice '% of % are discarded: nothing changed', core.import_in_words(import), import.operator;
end
$$;
comment on function ops.discard_import is
  'Ends an import (null: your latest) that nobody applied. It changed nothing, and cannot be applied any more.';
