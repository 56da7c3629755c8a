create or replace function core.has_offer(product_id int)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select exists (select from core.judged_offers o where o.product_id = has_offer.product_id and o.fault is null)
$$;
comment on function core.has_offer is 'Returns whether the product has an offer that may be used.';
