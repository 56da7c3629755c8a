create or replace function core.judge_prices(lines supply.price_line[])
returns setof supply.judged_line
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with loss as materialized (
    select n.*
    from (
      select array_agg(c.product_id) as product_ids, array_agg(distinct c.list_id) as list_ids, array_agg(c) as prices
      from core.changed_prices(lines) as c
    ) as a
    cross join lateral core.new_losses(core.losses(a.product_ids, a.list_ids),
      core.losses(a.product_ids, a.list_ids, prices => coalesce(a.prices, '{}'))) as n
  )
  select l.line, l.subject, case
      when l.fault is not null then 'wrong'
      when (l.before).price is not distinct from (l.after).price then 'unchanged'
      when (l.before).price is null then 'new'
      else 'changed'
    end::supply.line_change,
    coalesce(l.fault, case when (l.before).price is distinct from (l.after).price then format('price %s → %s',
      coalesce((l.before).price::text, 'none'), coalesce((l.after).price::text, 'none')) end),
    nullif(array_remove(array[
      case when n.product_id is not null then 'below_cost' end,
      case when core.is_large_change((l.before).price, (l.after).price) then 'large_change' end
    ]::supply.risk_word[], null), '{}')
  from unnest(lines) as l
  left join loss n on n.list_id = (l.after).list_id and n.product_id = (l.after).product_id
    and n.min_quantity = (l.after).min_quantity
  order by l.line
$$;
comment on function core.judge_prices is
  'Returns what the lines of an import of prices (core.price_lines) mean, with their risks.';
