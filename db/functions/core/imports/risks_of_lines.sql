create or replace function core.risks_of_lines(lines supply.product_line[], missing supply.offers[] default '{}')
returns supply.risk[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select core.risks_of_products(c.products) || core.risks_of_offers(c.offers)
    || core.risks_of_losses(core.losses(c.ids), core.losses(c.ids, null, c.products, c.offers || missing))
  from (
    select array_agg(c.product) as products,
      array_agg(c.offer) filter (where (c.offer).supplier is not null) as offers,
      array_agg(c.product_id) || array(select m.product_id from unnest(missing) as m) as ids
    from core.changes_of_lines(lines) as c) as c
$$;
comment on function core.risks_of_lines is
  'Returns the risks of what the right lines of an import of products change, and of offers that become unavailable.';
