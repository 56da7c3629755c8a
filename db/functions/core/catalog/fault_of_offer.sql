create or replace function core.fault_of_offer(
  sku text, cost numeric, priority int, currency text, product_currency text
)
returns text
language sql stable
return case
  when length(trim(sku)) between 1 and 200 is not true then 'sku must have 1 to 200 characters'
  when priority is null then 'priority must be a number'
  when currency is not null and core.decimals(currency) is null
    then 'currency must be a code of three capitals, of a currency with at most 2 decimals; null: that of the product'
  -- A line of a file may lack the currency of its product, which is a fault of its own.
  when cost <> 0 and not core.is_money(cost, coalesce(currency, product_currency, 'RUB'))
    then 'cost must be from 0 to 100000000000, with at most 2 decimals, or as many as its currency has'
end;
comment on function core.fault_of_offer is
  'Returns the first rule of ops.upsert_offer that the values of an offer break; null: none.';
