create or replace function core.offered_products(requests jsonb)
returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select coalesce(
      jsonb_object_agg(p.id, jsonb_build_object(
        'id', p.id, 'name', p.name, 'price', p.price, 'currency', p.currency, 'deliveryType', p.delivery_type,
        'deliveryFields', p.delivery_fields, 'maxQuantity', p.max_quantity,
        'available', p.in_stock and o.supplier is not null, 'supplier', o.supplier, 'sku', o.sku,
        'cost', o.cost)),
      '{}')
    from supply.products p
    left join lateral (
      select o.supplier, o.sku, o.cost from core.active_offers o where o.product_id = p.id and o.place = 1 offset 0) o on true
    where p.id = any (array(
      select distinct (i ->> 'productId')::numeric::bigint from jsonb_path_query(requests, '$[*].items[*]') i))
  );
end
$$;
comment on function core.offered_products is
  'The products that order requests ([{items: [{productId}]}]) name, each read once and with its best offer, by their ids: {id: {id, name, price, '
  'currency, deliveryType, deliveryFields, maxQuantity, available, supplier, sku, cost}}. Products that are not in the catalog are not in it.';
