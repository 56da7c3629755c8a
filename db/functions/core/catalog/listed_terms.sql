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
    when coalesce(length(cost) > 40 or cost !~ '^[0-9]+([.][0-9]+)?$', true)
      then 'its cost is ' || coalesce(left(cost, 40), 'missing')
    when ceil(cost::numeric * 100) / 100 > 99999999999.99 then 'its cost is ' || cost
    when coalesce(currency !~ '^[A-Z]{3}$', true) then 'its currency is ' || coalesce(left(currency, 40), 'missing')
    when stock is not null and (stock !~ '^[0-9]{1,10}$' or stock::numeric > 2147483647)
      then 'its stock is ' || left(stock, 40)
    when max_cost is not null and currency <> own_currency
      then format('its costs are in %s now, and max_cost is in %s', currency, own_currency)
  end;
  return case
    when cost is null and currency is null then '{"available": false, "stock": null, "problem": null}'::jsonb
    when problem is not null then jsonb_build_object('available', false, 'problem', problem)
    else jsonb_build_object('cost', to_char(ceil(cost::numeric * 100) / 100, 'FM99999999990.00')::numeric,
      'currency', currency, 'stock', stock::int, 'available', stock is null or stock::int > 0, 'problem', null)
  end;
end
$$;
comment on function core.listed_terms is
  'Returns the terms {cost, currency, stock, available, problem} that an entry {sku, cost, currency, stock} of a
supplier''s list gives an offer. Without cost and currency the supplier does not have it. An entry that makes no sense,
or has another currency than own_currency, in which max_cost is set, makes the offer unavailable, with the problem.';
