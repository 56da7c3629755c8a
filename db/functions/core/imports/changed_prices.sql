create or replace function core.changed_prices(lines supply.price_line[])
returns setof supply.list_prices
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select (l.after).* from unnest(lines) as l
  where l.fault is null and (l.before).price is distinct from (l.after).price
$$;
comment on function core.changed_prices is
  'Returns the prices of lists that right lines of an import change or create, as they would be.';
