create or replace function core.cost_of_units(amount int, cost numeric, supplier_cost numeric, rate numeric)
returns numeric
language sql immutable
return case when cost is not null and rate = 1 then round(supplier_cost * amount, 2) else cost * amount end;
comment on function core.cost_of_units is
  'Returns what the units of an item cost in its order''s currency, by the columns of the item. The cost of a unit is
rounded up: where the supplier has the same currency, what is owed to it is exact.';
