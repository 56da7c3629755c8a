create or replace function core.asks_by_repeating(supplier text)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from supply.suppliers s join supply.protocols p on p.name = s.protocol
    where s.code = asks_by_repeating.supplier and p.asks_by_repeating)
$$;
comment on function core.asks_by_repeating is
  'Returns whether the supplier is asked for an order by sending it again.';
