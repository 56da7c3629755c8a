-- Roles: support, trade, finance
create or replace function ops.prices(account_id anycompatible, product_id int default null)
returns table (
  product_id int, name text, min_quantity int, price numeric, product_price numeric, source text, best_cost numeric,
  margin numeric, unusable text
)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select p.product_id, (p.product).name, t.min_quantity, t.price, (p.product).price, t.source, best.cost,
    t.price - best.cost, case
      when not (p.product).in_stock then 'off sale'
      when best.supplier is null then 'no usable offer'
      when best.min_price > t.price then format('margin below %s', trim_scale(coalesce(
        (p.product).min_margin, (select r.min_margin from supply.offer_rules r))))
    end
  from core.partner_products p
  cross join lateral core.price_tiers(p) as t
  left join lateral (
    select o.supplier, o.cost, o.min_price from core.active_offers o
    where o.product_id = p.product_id order by o.min_price <= t.price desc, o.place limit 1) as best on true
  where p.account_id = (select core.refer_to('account', prices.account_id)::bigint)
    and (prices.product_id is null or p.product_id = prices.product_id)
  order by p.product_id, t.min_quantity
$$;
comment on function ops.prices is
  'Returns what an account pays for a unit of each product, or of one, by the quantity of an item from which it holds.
source: list, discount (of the list) or product. margin: the price less the cost of the offer that an order takes, in
the product''s currency. unusable: why orders are refused; null: they are not.';
