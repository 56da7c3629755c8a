create or replace function core.sales_after(products supply.products[], offers supply.offers[])
returns supply.sale[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with product as materialized (select p.* from unnest(products) as p),
  changed as materialized (select o.* from unnest(offers) as o),
  offer as (
    select o.* from supply.offers o
    where o.product_id = any (array(select p.id from product p))
      and (o.product_id, o.supplier) not in (select c.product_id, c.supplier from changed c)
    union all
    select c.* from changed c
  ), taken as (
    select distinct on (p.id) p.id, o.supplier, terms.cost::numeric(14, 2) as cost
    from product p
    join offer o on o.product_id = p.id
    join supply.suppliers s on s.code = o.supplier and s.active
    left join supply.rates r on r.from_currency = o.currency and r.to_currency = p.currency
    cross join lateral (
      select o.currency <> p.currency as is_foreign,
        case when o.currency <> p.currency then ceil(o.cost * r.rate * 100) / 100 else o.cost end as cost,
        coalesce(p.min_margin, (select rule.min_margin from supply.offer_rules rule)) as min_margin
    ) as terms
    where o.available and o.problem is null
      and (terms.is_foreign is not true or coalesce(r.valid_until > now(), false))
      and case
        when o.cost is null then coalesce(o.max_cost, terms.min_margin) is null
        else coalesce(o.cost <= o.max_cost, true) and terms.cost <= 99999999999.99
          and coalesce(p.price - terms.cost >= terms.min_margin * p.price, true)
      end
    order by p.id, s.paused_at is not null or s.open_since is not null and coalesce(s.trial_at > now(), true),
      o.priority, terms.cost nulls last, o.supplier
  )
  select array_agg(row(p.id, p.name, p.price, p.currency, t.supplier, t.cost)::supply.sale order by p.id)
  from product p left join taken t on t.id = p.id
$$;
comment on function core.sales_after is
  'Returns what core.current_sales would return for products with these values and offers, before they are written: by
the rules of core.judged_offers and core.active_offers.';
