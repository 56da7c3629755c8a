create or replace function core.is_later_offer(item supply.order_items, place bigint)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select place > coalesce((
    select o.place from core.active_offers o where o.product_id = item.product_id and o.supplier = item.supplier
      and o.min_price <= item.price), 0)
$$;
comment on function core.is_later_offer is
  'Returns whether the place of an offer comes after that of the item''s supplier.';
