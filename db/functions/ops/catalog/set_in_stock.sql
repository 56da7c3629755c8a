-- Roles: trade
create or replace function ops.set_in_stock(product_id anycompatible, in_stock boolean)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product supply.products := core.lock_product(product_id);
begin
  perform core.require(in_stock is not null, 'in_stock must be true or false');
  if product.in_stock = in_stock then
    raise notice 'product % (%) is already % sale: nothing changed', product.id, product.name, case when in_stock
      then 'on' else 'off' end;
    return;
  end if;
  update supply.products p set in_stock = set_in_stock.in_stock, updated_at = now() where p.id = product.id;
  perform core.log_operator('set_in_stock', 'product ' || product.id, jsonb_build_object('in_stock', in_stock,
    'before', product.in_stock));
  raise notice 'product % (%) is %', product.id, product.name, case
    when not in_stock then 'off sale now'
    when exists (
      select from core.active_offers o where o.product_id = product.id and o.min_price <= product.price
    ) then 'on sale now'
    else 'in stock now, and is on sale when an active supplier offers it: select * from ops.offers where product_id = '
      || product.id
  end;
end
$$;
comment on function ops.set_in_stock is
  'Takes a product off sale (false), or puts it back on sale (true), and changes nothing else. Existing orders
continue. A notice shows the product''s state. Raises no_data_found for an unknown product.';
