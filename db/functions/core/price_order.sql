create or replace function core.price_order(request jsonb, currency text)
returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  item jsonb;
  path text;
  quantity int;
  product supply.products;
  offer supply.offers;
  lines jsonb[] := '{}';
  total numeric := 0;
  unknown jsonb := '[]';
  wrong_data jsonb := '[]';
  unavailable jsonb := '[]';
  out_of_range jsonb := '[]';
  too_dear jsonb := '[]';
begin
  for i in 0 .. jsonb_array_length(request -> 'items') - 1 loop
    item := request -> 'items' -> i;
    path := 'items[' || i || ']';
    quantity := (item ->> 'quantity')::int;

    select p.* into product from supply.products p
    where p.id = (item ->> 'productId')::numeric::bigint and p.currency = price_order.currency;
    if not found then
      unknown := unknown || jsonb_build_object('path', path || '.productId', 'message', 'no such product');
      continue;
    end if;

    wrong_data := wrong_data
      || core.delivery_data_errors(product.delivery_fields, item -> 'deliveryData', path || '.deliveryData');

    select o.* into offer from supply.offers o join supply.suppliers s on s.code = o.supplier
    where o.product_id = product.id and s.active
    order by o.priority, o.cost nulls last, o.supplier limit 1;
    if not product.in_stock or offer.supplier is null then
      unavailable := unavailable
        || jsonb_build_object('path', path || '.productId', 'message', 'the product is out of stock');
    end if;

    if quantity > product.max_quantity then
      out_of_range := out_of_range
        || jsonb_build_object('path', path || '.quantity', 'message', 'must be from 1 to ' || product.max_quantity);
    end if;

    if product.price > (item ->> 'maxPrice')::numeric then
      too_dear := too_dear || jsonb_build_object(
        'path', path || '.maxPrice', 'message', 'the price is now ' || product.price, 'price', product.price);
    end if;

    total := total + product.price * quantity;
    lines := lines || jsonb_build_object(
      'position', i, 'productId', product.id, 'productName', product.name, 'deliveryType', product.delivery_type,
      'deliveryData', item -> 'deliveryData', 'amount', quantity, 'price', product.price,
      'supplier', offer.supplier, 'sku', offer.sku);
  end loop;

  if total > (request ->> 'maxTotal')::numeric then
    too_dear := too_dear
      || jsonb_build_object('path', 'maxTotal', 'message', 'the total is now ' || total, 'price', total);
  end if;

  return case
    when unknown <> '[]' then jsonb_build_object('refusal', 'PRODUCT_NOT_FOUND', 'details', unknown)
    when wrong_data <> '[]' then jsonb_build_object('refusal', 'DELIVERY_DATA_INVALID', 'details', wrong_data)
    when unavailable <> '[]' then jsonb_build_object('refusal', 'PRODUCT_UNAVAILABLE', 'details', unavailable)
    when out_of_range <> '[]' then jsonb_build_object('refusal', 'QUANTITY_OUT_OF_RANGE', 'details', out_of_range)
    when too_dear <> '[]' then jsonb_build_object('refusal', 'PRICE_CHANGED', 'details', too_dear)
    else jsonb_build_object('total', total, 'lines', to_jsonb(lines))
  end;
end
$$;
comment on function core.price_order is
  'Checks the items of an order request against the catalog of a currency, in the documented order of checks, and prices them: '
  '{total, lines}, or {refusal, details} with every item at fault.';
revoke all on function core.price_order from public;
