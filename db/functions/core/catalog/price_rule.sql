create or replace function core.price_rule(currency text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select 'price must be above 0, at most 100000000000, with at most ' || core.decimals(currency) || ' decimals'
$$;
comment on function core.price_rule is 
  'Returns the rule that a price in the currency breaks, for operators; null: the currency is not supported.';
