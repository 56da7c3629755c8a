create or replace function core.judge_statement(import_id bigint)
returns setof supply.judged_line
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select c.line, concat_ws(' / ', c.supplier, c.supplier_order_id, c.item_id), case
      when c.fault is not null then 'wrong'
      when c.kind = 'only_theirs' then 'new'
      when c.kind is not null then 'changed'
      else 'unchanged' end::supply.line_change,
    coalesce(c.fault, c.kind || ': ' || concat_ws(', ', 'ours ' || c.ours, 'theirs ' || c.theirs, c.detail)),
    null::supply.risk_word[]
  from core.compare_statement(import_id) as c where c.line is not null order by c.line
$$;
comment on function core.judge_statement is
  'Returns what the lines of a supplier''s statement say. new: only there; changed: otherwise than our items.';
