create or replace function ops.set_suppliers_paused(codes text[], reason text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform 1 from supply.suppliers s where s.code = any (codes) order by s.code for no key update;
  perform ops.set_supplier_paused(c, reason) from unnest(codes) as c;
end
$$;
comment on function ops.set_suppliers_paused is
  'Does ops.set_supplier_paused for several suppliers at once. All or nothing; it locks them in the order of live traffic.';
