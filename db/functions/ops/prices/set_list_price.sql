-- Roles: trade
create or replace function ops.set_list_price(
  list anycompatible, product_id int, price numeric, min_quantity int default 1, allow text[] default '{}'
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant supply.price_lists := core.lock_price_list(list);
  product constant supply.products := core.lock_product(product_id);
  losses constant supply.loss[] := core.losses(array[product.id], array[wanted.id]);
  before numeric;
  risks supply.risk[];
begin
  perform core.check_allow(allow);
  perform core.require(coalesce(min_quantity >= 1, false), 'min_quantity must be at least 1');
  if price is not null then
    perform core.require_price(price, product.currency);
  end if;
  select l.price into before from supply.list_prices l
  where l.list_id = wanted.id and l.product_id = product.id and l.min_quantity = set_list_price.min_quantity;
  if before is not distinct from price then
    raise notice 'price list % (%): product % (%) % from % units on: nothing changed', wanted.id, wanted.name,
      product.id, product.name, case
      when before is null then 'has no price of its own'
      else format('costs %s %s already', before, product.currency) end,
      min_quantity;
    return;
  end if;
  perform core.write_list_prices(
    array[row(wanted.id, product.id, min_quantity, price, null)::supply.list_prices], 'set_list_price');
  if core.is_large_change(before, price) then
    risks := array[row('large_change', format('product %s (%s) in price list %s: %s', product.id, product.name,
      wanted.name, core.change_in_words(before, price, product.currency)), product.id)::supply.risk];
  end if;
  perform core.refuse_risks(
    risks || core.risks_of_losses(losses, core.losses(array[product.id], array[wanted.id])), allow);
  raise notice 'price list % (%): product % (%) % from % units on; before: %', wanted.id, wanted.name, product.id,
    product.name, case
      when price is null then 'has no price of its own now'
      else format('costs %s %s now', price::numeric(14, 2), product.currency) end, min_quantity,
    coalesce(before::text, 'no price of its own');
end
$$;
comment on function ops.set_list_price is
  'Sets the unit price of a product in a price list (number or name), in the product''s currency, for items of
min_quantity units or more, until the next one; null removes it. Existing orders keep their price. Raises for an unknown
list or product. allow: below_cost, large_change.';
