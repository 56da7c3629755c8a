-- Roles: trade
create or replace function ops.apply_import(
  import_id bigint default null, only_valid boolean default false, missing_of text default null,
  allow text[] default '{}'
)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  import supply.imports := core.lock_import(import_id);
  judged supply.judged_line[];
  missing int;
  result text;
begin
  perform core.check_allow(allow);
  perform core.require(import.kind <> 'supplier_statement', format('import %s is a statement: it is compared, and '
    'never applied', import.id), 'object_not_in_prerequisite_state', format('select * from '
    'ops.supplier_differences(%s)', import.id));
  if import.operator <> session_user then
    raise exception 'import % was loaded by %: no other login can apply it', import.id, import.operator
      using errcode = 'insufficient_privilege', hint = 'Load the file with your own login.';
  end if;
  perform core.require(missing_of is null or import.kind = 'products',
    'missing_of is for imports of products', hint => 'Call it again without missing_of.');
  perform core.require(
    missing_of is null or exists (select from supply.suppliers s where s.code = missing_of),
    format('missing_of: there is no supplier %L', missing_of), 'no_data_found', 'ops.suppliers lists the suppliers.');

  case import.kind
    when 'products' then
      select a.judged, a.missing into judged, missing
      from core.apply_products(import.id, only_valid, missing_of, allow) as a;
    when 'prices' then
      judged := core.apply_prices(import.id, only_valid, allow);
    when 'codes' then
      judged := core.apply_codes(import.id, only_valid);
  end case;
  import := core.count_lines(import.id, judged);
  update supply.imports i set state = 'applied', ended_at = clock_timestamp() where i.id = import.id;
  result := concat_ws(', ', format('%s: %s new, %s changed, %s unchanged', core.import_in_words(import), import.new,
      import.changed, import.unchanged),
    case when import.wrong > 0 then format('%s wrong and left out', import.wrong) end,
    case when missing_of is not null then format('%s other offers of %s made unavailable', missing, missing_of) end);
  perform core.log_operator('apply_import', 'import ' || import.id, jsonb_build_object('kind', import.kind, 'lines',
    import.lines, 'new', import.new, 'changed', import.changed, 'unchanged', import.unchanged, 'wrong', import.wrong)
    || jsonb_strip_nulls(jsonb_build_object('missing_of', missing_of, 'unavailable', missing)));
  raise notice '%', concat_ws(E'\n', 'applied ' || result, (
      select string_agg(format('line %s: %s: %s', j.line, j.subject, j.detail), E'\n' order by j.line)
      from (
        select j.* from unnest(judged) as j where j.change in ('new', 'changed') order by j.line limit 3) as j),
    case when import.new + import.changed > 3 then 'and so on: select * from ops.operator_log where action = '
      '''apply_import'' order by log_id desc;' end);
  return result;
end
$$;
comment on function ops.apply_import is
  'Makes the changes of an import (null: your latest), all or none; wrong lines refuse it, unless only_valid.
missing_of: a supplier; its offers that the file lacks become unavailable, until a file or list has them again.
allow: below_cost, large_change, currency, delivery_type.';
