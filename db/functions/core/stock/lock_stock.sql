create or replace function core.lock_stock(supplier text, sku text)
returns text
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  known constant supply.suppliers := core.lock_supplier(supplier);
begin
  perform core.require(known.protocol = 'stock', format('supplier %s has the protocol %s, and no stock of our own',
    known.code, known.protocol), 'object_not_in_prerequisite_state',
    'ops.upsert_supplier(code, protocol => ''stock'') creates one that has.');
  perform core.require(not core.is_blank(sku) and length(core.trim_blanks(sku)) <= 200,
    'sku must have 1 to 200 characters');
  return core.trim_blanks(sku);
end
$$;
comment on function core.lock_stock is
  'Locks a supplier of the protocol stock until the transaction ends, and returns the sku without blanks at its ends.
Raises for another supplier, and for a wrong sku.';
