create or replace function core.price_tiers(product core.partner_products)
returns table (min_quantity int, price numeric, source text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select 1, product.price, product.source
  union all
  select t.min_quantity, t.price, 'list'
  from (
    select t.*, lag(t.price, 1, product.price) over (order by t.min_quantity) as before from unnest(product.tiers) as t
  ) as t
  where t.price <> t.before
  order by 1
$$;
comment on function core.price_tiers is
  'Returns the unit prices that an account pays for a product, ascending by the quantity of one item from which each
holds, without those that repeat the price before.';
