create or replace function core.judge_products(
  lines supply.product_line[], described int default null, risks supply.risk[] default null
)
returns setof supply.judged_line
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with judged as materialized (
    select l.*, (l.product).id as product_id, l.change in ('new', 'changed')
        and coalesce(count(*) filter (where l.change in ('new', 'changed')) over (order by l.line) <= described, true)
      as is_described
    from (
      select l.*, case
        when l.fault is not null then 'wrong'
        when (l.product_before).id is null then 'new'
        when l.product is distinct from l.product_before or l.offer is distinct from l.offer_before
            and (l.offer).supplier is not null then 'changed'
        else 'unchanged'
      end::supply.line_change as change
      from unnest(lines) as l
    ) as l
  ), risk as materialized (
    select r.product_id, array_agg(distinct r.word order by r.word) as words
    from unnest(coalesce(risks, core.risks_of_lines(lines))) as r
    group by r.product_id
  )
  select j.line, j.subject, j.change, case
      when j.change = 'wrong' then j.fault
      when j.is_described then concat_ws(case j.change when 'new' then '; ' else ', ' end,
        case
          when j.change = 'new' then format('%s at %s %s', (j.product).name, (j.product).price, (j.product).currency)
          when j.product is distinct from j.product_before
            then core.changed_columns(core.product_columns(j.product_before), core.product_columns(j.product))
        end,
        core.changed_columns(core.offer_columns(j.offer_before), core.offer_columns(j.offer)),
        case when (j.offer).supplier is not null and (j.offer_before).supplier is null
          then format('new offer of %s: sku %s, cost %s', (j.offer).supplier, (j.offer).sku, concat_ws(' ',
            coalesce((j.offer).cost::text, 'not known'),
            case when (j.offer).cost is not null then (j.offer).currency end)) end)
    end, r.words
  from judged j
  left join risk r on r.product_id = j.product_id and j.change in ('new', 'changed')
  order by j.line
$$;
comment on function core.judge_products is
  'Returns what the lines of an import of products (core.product_lines) mean, with their risks (null: those of
core.risks_of_lines). described: as core.judge_import.';
