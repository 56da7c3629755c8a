create or replace function core.listed_terms(entry jsonb, own_currency text, max_cost numeric)
returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  cost constant text := entry ->> 'cost';
  currency constant text := entry ->> 'currency';
  stock constant text := entry ->> 'stock';
  problem text;
begin
  problem := case
    when cost is null and currency is null then null
    when coalesce(length(cost) > 40 or cost !~ '^[0-9]+([.][0-9]+)?$', true) then 'its cost is ' || coalesce(left(cost, 40), 'missing')
    when ceil(cost::numeric * 100) / 100 > 99999999999.99 then 'its cost is ' || cost
    when coalesce(currency !~ '^[A-Z]{3}$', true) then 'its currency is ' || coalesce(left(currency, 40), 'missing')
    when stock is not null and (stock !~ '^[0-9]{1,10}$' or stock::numeric > 2147483647) then 'its stock is ' || left(stock, 40)
    when max_cost is not null and currency <> own_currency then format('its costs are in %s now, and max_cost is in %s', currency, own_currency)
  end;
  return case
    when cost is null and currency is null then '{"available": false, "stock": null, "problem": null}'::jsonb
    when problem is not null then jsonb_build_object('available', false, 'problem', problem)
    else jsonb_build_object('cost', to_char(ceil(cost::numeric * 100) / 100, 'FM99999999990.00')::numeric, 'currency', currency,
      'stock', stock::int, 'available', stock is null or stock::int > 0, 'problem', null)
  end;
end
$$;
comment on function core.listed_terms is
  'What an entry of a supplier''s list ({sku, cost, currency, stock}; without cost and currency the supplier does not have it) makes of an offer: those of {cost, currency, stock, available, '
  'problem} that it tells. A cost has up to 40 characters and is rounded up to the cent. What makes no sense is not used: the offer is unavailable, with the '
  'problem. own_currency is that of the offer''s costs until now, which max_cost is in: where that is set, another currency is a problem.';
