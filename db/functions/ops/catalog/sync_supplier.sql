-- Roles: support, trade
create or replace function ops.sync_supplier(code text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known supply.suppliers := core.lock_supplier(code);
begin
  perform core.require(exists (select from supply.protocols p where p.name = known.protocol and p.lists_offers),
    format('suppliers of the protocol %s list neither costs nor stock', known.protocol),
    'object_not_in_prerequisite_state', 'Set its costs with ops.upsert_offer.');
  perform core.require(known.active, format('supplier %s is not active', code), 'object_not_in_prerequisite_state',
    format('Open it with select ops.set_supplier_active(%L, true).', code));
  update supply.suppliers s set sync_due_at = now() where s.code = known.code;
  perform core.log_operator('sync_supplier', 'supplier ' || code);
  raise notice 'a worker reads the list of supplier % now: ops.suppliers shows synced_at and sync_error', known.code;
end
$$;
comment on function ops.sync_supplier is
  'Makes a worker read the costs and the stock of a supplier now, even if its reads are off. Raises if its protocol has
no list, and if it is not active. ops.suppliers shows when it was read.';
