-- Roles: trade
create or replace function ops.set_price(product_id anycompatible, price numeric, allow text[] default '{}')
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product constant supply.products := core.lock_product(product_id);
  losses constant supply.loss[] := core.losses(array[product.id]);
  changed supply.products := product;
  risks supply.risk[];
begin
  perform core.check_allow(allow);
  perform core.require_price(price, product.currency);
  if product.price = price then
    raise notice 'product % (%) costs % % already: nothing changed', product.id, product.name, product.price,
      product.currency;
    return;
  end if;
  changed.price := price;
  risks := core.risks_of_products(array[changed]);
  update supply.products p set price = changed.price, updated_at = now() where p.id = product.id;
  perform core.refuse_risks(risks || core.risks_of_losses(losses, core.losses(array[product.id])), allow);
  perform core.log_operator('set_price', 'product ' || product.id, jsonb_build_object('price', changed.price, 'before',
    product.price));
  raise notice 'product % (%) costs % % now; before: %', product.id, product.name, changed.price::numeric(14,2),
    product.currency, product.price;
end
$$;
comment on function ops.set_price is
  'Sets the unit price of a product, in the product''s currency, and nothing else. Existing orders keep their price. A
notice shows the previous price. Raises no_data_found for an unknown product. allow: below_cost, large_change.';
