create or replace function ops.set_supplier_active(supplier text, active boolean)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.lock_supplier(supplier);
  perform core.require(active is not null, 'active must be true or false');
  update supply.suppliers s set active = set_supplier_active.active, updated_at = now()
  where s.code = supplier and s.active <> set_supplier_active.active;
  if not found then
    return;
  end if;

  -- Without another active supplier, the product has just become available, or ceased to be.
  update supply.products p set updated_at = now()
  where exists (select from supply.offers o where o.product_id = p.id and o.supplier = set_supplier_active.supplier)
    and not exists (
      select from core.active_offers o where o.product_id = p.id and o.supplier <> set_supplier_active.supplier);
  perform core.log_operator('set_supplier_active', 'supplier ' || supplier, jsonb_build_object('active', active));
end
$$;
comment on function ops.set_supplier_active is
  'Opens or closes a supplier for new items; those it has already are still asked for. Products that only it '
  'delivers show as out of stock meanwhile.';
