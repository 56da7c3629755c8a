create or replace function core.comparable_items(request jsonb)
returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select jsonb_agg(
    jsonb_build_object(
      'productId', i.item -> 'productId', 'quantity', i.item -> 'quantity', 'deliveryData', i.item -> 'deliveryData')
    order by i.place)
  from jsonb_array_elements(request -> 'items') with ordinality as i (item, place)
$$;
comment on function core.comparable_items is
  'The items of an order request in the form in which repeats are compared: productId, quantity and deliveryData, without the caps.';
