create or replace function core.next_offer(item supply.order_items)
returns supply.offers
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select o.* from supply.offers o join supply.suppliers s on s.code = o.supplier
  where o.product_id = item.product_id and s.active and o.supplier <> item.supplier and o.supplier <> all (item.tried_suppliers)
  order by o.priority, o.cost nulls last, o.supplier limit 1
$$;
comment on function core.next_offer is 'The offer of a supplier that has not had the item yet; null if there is none.';
