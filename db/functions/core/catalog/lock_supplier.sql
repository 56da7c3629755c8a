create or replace function core.lock_supplier(code text)
returns supply.suppliers
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  supplier supply.suppliers;
begin
  perform core.end_when_idle();
  select s.* into supplier from supply.suppliers s where s.code = lock_supplier.code for no key update;
  perform core.require(found, format('there is no supplier %L', lock_supplier.code), 'no_data_found',
    'ops.suppliers lists the suppliers.');
  return supplier;
end
$$;
comment on function core.lock_supplier is
  'Returns the supplier, locked until the transaction ends. Raises no_data_found if there is none.';
