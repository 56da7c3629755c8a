create or replace function core.price_order(request jsonb, currency text, products jsonb)
returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  items jsonb := request -> 'items';
  item jsonb;
  product jsonb;
  path text;
  price numeric;
  quantity int;
  priced jsonb[] := '{}';
  total numeric := 0;
  unknown jsonb := '[]';
  wrong_data jsonb := '[]';
  unavailable jsonb := '[]';
  out_of_range jsonb := '[]';
  too_dear jsonb := '[]';
begin
  for i in 0 .. jsonb_array_length(items) - 1 loop
    item := items -> i;
    path := 'items[' || i || ']';
    product := products -> (item ->> 'productId')::numeric::bigint::text;
    if product is null or product ->> 'currency' <> currency then
      unknown := unknown || jsonb_build_object('path', path || '.productId', 'message', 'no such product');
      continue;
    end if;
    quantity := (item ->> 'quantity')::int;
    price := (product ->> 'price')::numeric;

    wrong_data := wrong_data
      || core.delivery_data_errors(product -> 'deliveryFields', item -> 'deliveryData', path || '.deliveryData');

    if not (product ->> 'available')::boolean then
      unavailable := unavailable
        || jsonb_build_object('path', path || '.productId', 'message', 'the product is out of stock');
    end if;

    if quantity > (product ->> 'maxQuantity')::int then
      out_of_range := out_of_range
        || jsonb_build_object('path', path || '.quantity', 'message', 'must be from 1 to ' || (product ->> 'maxQuantity'));
    end if;

    if price > (item ->> 'maxPrice')::numeric then
      too_dear := too_dear
        || jsonb_build_object('path', path || '.maxPrice', 'message', 'the price is now ' || price, 'price', price);
    end if;

    total := total + price * quantity;
    priced := priced || jsonb_build_object(
      'position', i, 'productId', product -> 'id', 'productName', product -> 'name',
      'deliveryType', product -> 'deliveryType', 'deliveryData', item -> 'deliveryData',
      'amount', quantity, 'price', price, 'supplier', product -> 'supplier', 'sku', product -> 'sku');
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
    else jsonb_build_object('total', total, 'items', to_jsonb(priced))
  end;
end
$$;
comment on function core.price_order is
  'Checks the items of an order request against the products (core.offered_products) of a currency, in the documented order of '
  'checks, and prices them: {total, items}, or {refusal, details} with every item at fault.';
