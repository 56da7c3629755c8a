create or replace function core.report_import()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  import supply.imports;
  lines int;
begin
  -- guard: codes that an operator loaded are sealed
  perform core.request_sealing() where tg_argv[0] = 'codes';
  select i.* into import from supply.imports i
  where i.id = (select o.id from core.open_imports o where o.kind = tg_argv[0]);
  select count(*) into strict lines from supply.import_lines l where l.import_id = import.id;
  if lines = 0 then
    raise notice 'no lines: there is no import';
  elsif lines < 2 * import.lines then
    -- Of many statements in one transaction, few compare all its lines.
    raise notice 'import % (%): % lines by now', import.id, import.kind, lines;
  else
    import := core.count_lines(import.id, array(select j from core.judge_import(import.id, 0) as j));
    raise notice E'%: %. Nothing is changed yet.\n%', core.import_in_words(import), format('%s new, %s changed, %s '
      'unchanged, %s wrong', import.new, import.changed, import.unchanged, import.wrong),
      case when import.kind = 'supplier_statement' then concat(
        '         Look:  select * from ops.supplier_differences();',
        case when import.wrong > 0 then '      Wrong:  select * from ops.import_lines() where change = ''wrong'';' end)
        else '         Look:  select * from ops.import_lines();      Apply:  select ops.apply_import();' end;
  end if;
  return null;
end
$$;
comment on function core.report_import is
  'Trigger function of the views that take lists: says what the lines of a statement mean and how to go on.';
