create or replace function core.forget_list(supplier text)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  product_ids int[];
  were_offered supply.product_floor[];
begin
  -- A reading that is under way has the lease first, and then the products.
  update supply.supplier_syncs y set lease_token = null, lease_expires_at = null, failures = 0, failing_since = null
  where y.supplier = forget_list.supplier;
  product_ids := array(
    select o.product_id from supply.offers o
    where o.supplier = forget_list.supplier and (not o.available or o.stock is not null or o.problem is not null));
  were_offered := core.lock_offered(product_ids);
  update supply.offers o set available = true, stock = null, problem = null
  where o.supplier = forget_list.supplier and o.product_id = any (product_ids);
  perform core.note_offered(product_ids, were_offered);
end
$$;
comment on function core.forget_list is
  'Forgets the stock that a supplier''s list reported, when workers no longer read the list or read another one. The
costs stay. A read under way changes nothing.';
