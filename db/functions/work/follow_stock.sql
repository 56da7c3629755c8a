create or replace function work.follow_stock()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product_ids int[];
begin
  product_ids := array(
    select j.product_id from core.judged_offers j
    join supply.offers o on o.product_id = j.product_id and o.supplier = j.supplier
    where j.is_own and o.available <> (core.free_codes(o.supplier, o.sku, 1) > 0));
  -- Usually nothing changed, and nothing is locked.
  if product_ids = '{}' then
    return 0;
  end if;
  product_ids := array(
    select p.id from supply.products p where p.id = any (product_ids) order by p.id for no key update skip locked);
  product_ids := array(
    select l.id from unnest(product_ids) as l (id)
    where not exists (
      select from supply.offers o join supply.suppliers s on s.code = o.supplier and s.protocol = 'stock'
      where o.product_id = l.id
        and (select true from supply.offers f where f.ctid = o.ctid for no key update skip locked) is null));
  update supply.offers o set available = core.free_codes(o.supplier, o.sku, 1) > 0
  from supply.suppliers s
  where o.product_id = any (product_ids) and s.code = o.supplier and s.protocol = 'stock';
  update supply.products p set updated_at = now() where p.id = any (product_ids);
  return cardinality(product_ids);
end
$$;
comment on function work.follow_stock is
  'Marks the products as changed whose stock of our own was sold out, expired, or came back: what partners read of them
follows at once. Returns how many. Call it every second from each worker.';
