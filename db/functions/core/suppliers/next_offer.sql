create or replace function core.next_offer(item supply.order_items, must_serve boolean)
returns core.active_offers
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select o from core.active_offers o join supply.suppliers s on s.code = o.supplier
  -- An item never goes to an offer that leaves less than the margin of its price
  where o.product_id = item.product_id and o.min_price <= item.price and o.supplier <> item.supplier
    and o.supplier <> all (item.tried_suppliers)
    and not (must_serve and (s.paused_at is not null or s.open_since is not null))
    and (not o.is_own or item.delivery_type = 'key' and core.free_codes(o.supplier, o.sku, item.amount) = item.amount)
  order by core.is_later_offer(item, o.place) desc, o.place limit 1
$$;
comment on function core.next_offer is
  'Returns the offer to which an item goes next: the one after its supplier''s, then the best; null: none. Suppliers
that refused the item are left out; with must_serve also those that are paused or have an open circuit.';
