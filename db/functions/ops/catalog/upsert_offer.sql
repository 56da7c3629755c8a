-- Roles: trade
create or replace function ops.upsert_offer(
  product_id anycompatible, supplier text, sku text, cost numeric default null, priority int default 100,
  currency text default null
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product constant supply.products := core.lock_product(product_id);
  were_offered constant int[] := core.lock_offered(array[product.id]);
  before supply.offers;
  after supply.offers;
begin
  select o.* into before from supply.offers o
  where o.product_id = product.id and o.supplier = upsert_offer.supplier for no key update;
  after := core.changed_offer(before, product, supplier, sku, cost, priority, currency);
  if core.write_offers(array[after], were_offered, 'upsert_offer') = 0 then
    raise notice 'supplier % offers product % with these values already: nothing changed', supplier, product.id;
    return;
  end if;
  raise notice 'supplier % offers product % (%) as %, priority %, at a cost of %', supplier, product.id, product.name,
    sku, priority, coalesce(cost || ' ' || coalesce(currency, product.currency), 'an unknown amount');
end
$$;
comment on function ops.upsert_offer is
  'Creates or changes a supplier''s offer of a product: sku, cost of one unit in currency (null: the product''s) and
priority. The smallest priority number is used first, among equals the cheapest. The supplier''s list replaces cost and
currency. Items under way keep theirs.';
