create or replace function work.supplier_gauges()
returns table (supplier text, currency text, balance double precision)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select b.supplier, b.currency, b.balance from supply.supplier_balances b
  join supply.suppliers s on s.code = b.supplier where b.balance is not null and s.active order by b.supplier
$$;
comment on function work.supplier_gauges is 'Returns metrics of the active suppliers: our balances there.';
