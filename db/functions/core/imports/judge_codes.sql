create or replace function core.judge_codes(lines supply.code_line[])
returns setof supply.judged_line
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select j.line, j.subject, case when j.fault is null then 'new' else 'wrong' end::supply.line_change,
    coalesce(j.fault, concat_ws(', ', 'batch ' || j.batch, 'cost ' || j.cost,
      case when j.sell_before < 'infinity' then format('sold until %s', core.iso(j.sell_before)) end)),
    null::supply.risk_word[]
  from unnest(lines) as j order by j.line
$$;
comment on function core.judge_codes is 'Returns what the lines of an import of codes mean now. No code is shown.';
