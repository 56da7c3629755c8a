create or replace function core.fault_of_product(
  id int, name text, price numeric, currency text, delivery_type text, region text, amount_value numeric,
  max_quantity int
)
returns text
language sql stable
return case
  when id is null or id not between 1 and 2000000000 then 'id must be from 1 to 2000000000'
  when length(trim(name)) between 1 and 300 is not true then 'name must have 1 to 300 characters'
  when not core.is_money(price, currency) then coalesce(core.price_rule(currency),
    'currency must be three capital letters, such as RUB, of a currency with at most 2 decimals')
  when length(trim(delivery_type)) between 1 and 50 is not true then 'delivery_type must have 1 to 50 characters'
  when region <> '' and length(trim(region)) not between 1 and 100
    then 'region must have 1 to 100 characters; an empty text means anywhere'
  when amount_value <> 0 and amount_value not between 0.000001 and 1000000000000
    then 'amount_value must be from 0.000001 to 1000000000000; 0 means that there is none'
  when max_quantity < 1 then 'max_quantity must be at least 1'
  when delivery_type = 'key' and max_quantity > 10000
    then 'max_quantity must be at most 10000 where codes are delivered: an answer of a supplier holds no more'
end;
comment on function core.fault_of_product is
  'Returns the first rule of ops.upsert_product that the values of a product break; null: none.';
