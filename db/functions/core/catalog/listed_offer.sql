create or replace function core.listed_offer(offer supply.offers, entry jsonb, product_currency text)
returns supply.offers
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  cost constant text := entry ->> 'cost';
  currency constant text := entry ->> 'currency';
  stock constant text := entry ->> 'stock';
begin
  offer.problem := case
    when entry ->> 'problem' is not null then left(entry ->> 'problem', 200)
    when cost is null and currency is null then null
    when coalesce(length(cost) > 40 or cost !~ '^[0-9]+([.][0-9]+)?$', true)
      then 'its cost is ' || coalesce(left(cost, 40), 'missing')
    when ceil(cost::numeric * 100) / 100 > 99999999999.99 then 'its cost is ' || cost
    when coalesce(currency !~ '^[A-Z]{3}$', true) then 'its currency is ' || coalesce(left(currency, 40), 'missing')
    when stock is not null and (stock !~ '^[0-9]{1,10}$' or stock::numeric > 2147483647)
      then 'its stock is ' || left(stock, 40)
    when offer.max_cost is not null and currency <> coalesce(offer.currency, product_currency)
      then format('its costs are in %s now, and max_cost is in %s', currency,
        coalesce(offer.currency, product_currency))
  end;
  offer.available := false;
  if offer.problem is null and cost is null then
    offer.stock := null;
  elsif offer.problem is null then
    offer.cost := ceil(cost::numeric * 100) / 100;
    -- An offer without a currency has that of its product.
    offer.currency := case when offer.currency is not null or currency <> product_currency then currency end;
    offer.stock := stock::int;
    offer.available := coalesce(offer.stock > 0, true);
  end if;
  return offer;
end
$$;
comment on function core.listed_offer is
  'Returns an offer with the cost, currency, stock, available and problem that an entry {sku, cost, currency, stock} or
{sku, problem} of its supplier''s list gives it. An entry without cost and currency makes it unavailable; so does one
that makes no sense or that has another currency than max_cost, which is the problem.';
