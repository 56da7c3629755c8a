create or replace function core.judge_import(import_id bigint, described int default null)
returns setof supply.judged_line
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  -- Each kind of import has a function for its lines, and one that judges them.
  case (select i.kind from supply.imports i where i.id = import_id)
    when 'products' then return query
      select j.* from core.judge_products(array(select l from core.product_lines(import_id) as l), described) as j;
    when 'prices' then return query
      select j.* from core.judge_prices(array(select l from core.price_lines(import_id) as l)) as j;
    when 'codes' then return query
      select j.* from core.judge_codes(core.judge_cards(core.code_lines(import_id))) as j;
    when 'supplier_statement' then return query select j.* from core.judge_statement(import_id) as j;
  end case;
end
$$;
comment on function core.judge_import is
  'Returns what the lines of an import mean for what is there now. described: the number of new and changed lines with
their detail (null: all), which takes most of the time.';
