create or replace function core.code_of_stock(stock supply.stock_codes)
returns text
language sql immutable
return case when (stock).code like 'sealed:%' then (stock).code || ':' || (stock).id else (stock).code end;
comment on function core.code_of_stock is
  'Returns the code as an item keeps it: a sealed one has behind it what it was sealed for.';
