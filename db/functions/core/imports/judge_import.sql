create or replace function core.judge_import(import_id bigint)
returns setof supply.judged_line
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  case (select i.kind from supply.imports i where i.id = import_id)
    when 'products' then return query select j.* from core.judge_products(import_id) as j;
  end case;
end
$$;
comment on function core.judge_import is
  'Returns what the lines of an import mean for what is there now. Each kind of import has a function that judges it.';
