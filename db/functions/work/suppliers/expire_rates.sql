create or replace function work.expire_rates()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  ended record;
  product_ids int[];
  locked int[];
  count int := 0;
begin
  for ended in
    select r.from_currency, r.to_currency, r.valid_until from supply.rates r
    where not r.is_end_noted and r.valid_until <= now()
    order by r.from_currency, r.to_currency for no key update skip locked
  loop
    product_ids := array(
      select p.id from supply.products p
      where p.currency = ended.to_currency and exists (
        select from supply.offers o where o.product_id = p.id and o.currency = ended.from_currency)
        and exists (
          select from core.product_prices x
          where x.product_id = p.id and x.price < coalesce(
            (select min(o.min_price) from core.active_offers o where o.product_id = p.id), 'infinity')));
    locked := array(
      select p.id from supply.products p where p.id = any (product_ids) order by p.id for no key update skip locked);
    update supply.products p set updated_at = now() where p.id = any (locked) and p.updated_at < ended.valid_until;
    -- A product that another transaction has locked is left to the next call.
    continue when not product_ids <@ locked;
    update supply.rates r set is_end_noted = true
    where r.from_currency = ended.from_currency and r.to_currency = ended.to_currency;
    count := count + 1;
  end loop;
  return count;
end
$$;
comment on function work.expire_rates is
  'Marks the products as changed that became unavailable because a rate ended. Returns how many rates ended. Call it
every few seconds; calls at the same time share the work.';
