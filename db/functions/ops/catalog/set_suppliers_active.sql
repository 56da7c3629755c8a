create or replace function ops.set_suppliers_active(codes text[], active boolean)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform 1 from supply.suppliers s where s.code = any (codes) order by s.code for no key update;
  perform ops.set_supplier_active(c, active) from unnest(codes) as c;
end
$$;
comment on function ops.set_suppliers_active is
  'Does ops.set_supplier_active for several suppliers at once. All or nothing; it locks them in the order of live traffic.';
