create or replace function core.losses(
  product_ids int[], list_ids int[] default null, products supply.products[] default '{}',
  offers supply.offers[] default '{}', prices supply.list_prices[] default '{}'
)
returns supply.loss[]
language sql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off
  set enable_mergejoin = off set plan_cache_mode = force_custom_plan
as $$
  -- Arrays of thousands are estimated at ten rows: without the settings, nested loops, merges by the list alone, and a
  -- plan that was made for few products take up to minutes for 20,000.
  with product as materialized (
    select p as row, p.* from supply.products p
    where p.id = any (product_ids) and not exists (select from unnest(products) as n where n.id = p.id)
    union all
    select n, n.* from unnest(products) as n where n.id = any (product_ids)
  ), offer as (
    select o as row, o.* from supply.offers o
    where o.product_id = any (product_ids) and not exists (
      select from unnest(offers) as n where n.product_id = o.product_id and n.supplier = o.supplier)
    union all
    select n, n.* from unnest(offers) as n
  ), usable as materialized (
    select p.id, o.supplier, terms.cost, terms.min_price, terms.is_passed_over, o.priority
    from product p
    join offer o on o.product_id = p.id
    join supply.suppliers s on s.code = o.supplier
    left join supply.rates r on r.from_currency = o.currency and r.to_currency = p.currency
    cross join lateral (
      select coalesce(p.min_margin, (select every.min_margin from supply.offer_rules every)) as min_margin) as rule
    cross join lateral core.offer_terms(o.row, p.row, s, r, rule.min_margin) as terms
    where terms.fault is null
  ), costly as materialized (
    select p.*, u.highest
    from (select max(u.cost) as highest, u.id from usable u group by u.id) as u join product p on p.id = u.id
  ), own as materialized (
    select l.* from supply.list_prices l
    where l.product_id = any (product_ids) and (list_ids is null or l.list_id = any (list_ids)) and not exists (
        select from unnest(prices) as n
        where (n.list_id, n.product_id, n.min_quantity) = (l.list_id, l.product_id, l.min_quantity))
      -- Another currency of the product ends its prices in lists.
      and not exists (
        select from supply.products b join product p on p.id = b.id and p.currency <> b.currency
        where b.id = l.product_id)
    union all
    select n.* from unnest(prices) as n
  ), sold as (
    select c.id, null::int as list_id, 1 as min_quantity, c.price from costly c where c.price < c.highest
    union all
    select c.id, o.list_id, o.min_quantity, o.price
    from own o join costly c on c.id = o.product_id where o.price < c.highest and o.min_quantity <= c.max_quantity
    union all
    select c.id, l.id, 1, less.price
    from supply.price_lists l
    cross join costly c
    cross join lateral (select core.discounted(c.price, l.discount, c.currency) as price) as less
    where l.discount > 0
      -- Few products can be below their cost by the largest discount; this spares the others the rounding.
      and c.price * (1 - (select max(most.discount) from supply.price_lists most)) < c.highest + 1
      and (list_ids is null or l.id = any (list_ids)) and less.price < c.highest and not exists (
      select from own o
      where o.list_id = l.id and o.product_id = c.id and o.min_quantity = 1 and o.price is not null)
  ), taken as (
    select distinct on (s.id, s.list_id, s.min_quantity) s.*, u.supplier, u.cost
    from sold s join usable u on u.id = s.id
    -- Where a rule for margins leaves no offer at this price, the best one counts.
    order by s.id, s.list_id, s.min_quantity, u.min_price <= s.price desc, u.is_passed_over, u.priority,
      u.cost nulls last, u.supplier
  )
  select coalesce(array_agg(row(c.id, c.name, l.id, l.name, t.min_quantity, t.price, c.currency, t.supplier,
    t.cost::numeric(14, 2))::supply.loss order by c.id, l.id, t.min_quantity), '{}')
  from taken t
  join costly c on c.id = t.id
  left join supply.price_lists l on l.id = t.list_id
  where t.price < t.cost
$$;
comment on function core.losses is
  'Returns the prices of products, also those of lists (null: all), that are below the cost of the offer that an order
takes. products, offers and prices stand for the rows with their keys, as they would be.';
