create or replace function core.judge_products(import_id bigint)
returns setof supply.judged_line
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with judged as materialized (
    select l.*, (l.product).id as product_id,
      case
        when l.fault is not null then 'wrong'
        when (l.product_before).id is null then 'new'
        when l.product is distinct from l.product_before or l.offer is distinct from l.offer_before
            and (l.offer).supplier is not null then 'changed'
        else 'unchanged'
      end::supply.line_change as change
    from core.product_lines(import_id) as l
  ), arrays as materialized (
    select array_agg(j.product) as products, array_agg(j.offer) filter (where (j.offer).supplier is not null) as offers,
      array_agg(j.product_id) as ids
    from judged j where j.change in ('new', 'changed')
  ), risk as materialized (
    select r.product_id, array_agg(distinct r.word order by r.word) as words
    from arrays a, unnest(core.risks_of_products(a.products) || core.risks_of_offers(a.offers)
      || core.risks_of_sales(core.current_sales(a.ids), core.sales_after(a.products, a.offers))) as r
    group by r.product_id
  )
  select j.line, j.subject, j.change,
    case j.change
      when 'wrong' then j.fault
      when 'new' then concat_ws('; ', format('%s at %s %s', (j.product).name, (j.product).price, (j.product).currency),
        o.new_offer)
      when 'changed' then concat_ws(', ', core.changed_columns(p.before, p.after),
        core.changed_columns(o.before, o.after), o.new_offer)
    end, r.words
  from judged j
  left join risk r on r.product_id = j.product_id
  left join lateral (
    select v.before, v.after from (values (
      to_jsonb(j.product_before) - 'game_id' || jsonb_build_object('game_slug', (
        select g.slug from supply.games g where g.id = (j.product_before).game_id)),
      to_jsonb(j.product) - 'game_id' || jsonb_build_object('game_slug', (
        select g.slug from supply.games g where g.id = (j.product).game_id)))) as v (before, after)
    where j.change = 'changed' and j.product is distinct from j.product_before) as p on true
  left join lateral (
    select v.before, v.after,
      case when (j.offer_before).supplier is null then format('new offer of %s: sku %s, cost %s', (j.offer).supplier,
        (j.offer).sku, concat_ws(' ', coalesce((j.offer).cost::text, 'not known'),
          case when (j.offer).cost is not null then (j.offer).currency end)) end as new_offer
    from (values (
      core.offer_columns(j.offer_before), core.offer_columns(j.offer))) as v (before, after)
    where j.change in ('changed', 'new') and (j.offer).supplier is not null
      and j.offer is distinct from j.offer_before) as o on true
  order by j.line
$$;
comment on function core.judge_products is
  'Returns what the lines of an import of products mean now, with their risks.';
