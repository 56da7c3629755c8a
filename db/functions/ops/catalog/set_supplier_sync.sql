-- Roles: trade
create or replace function ops.set_supplier_sync(code text, sync_every interval)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known supply.suppliers;
begin
  -- The sync is locked before the supplier, as in work.finish_sync.
  perform 1 from supply.supplier_syncs y where y.supplier = set_supplier_sync.code for update;
  known := core.lock_supplier(code);
  perform core.require(coalesce(set_supplier_sync.sync_every between interval '1 minute' and interval '30 days', true),
    'sync_every must be from 1 minute to 30 days; null: never');
  perform core.require(
    sync_every is null or exists (select from supply.protocols p where p.name = known.protocol and p.lists_offers),
    format('suppliers of the protocol %s list neither costs nor stock', known.protocol),
    'object_not_in_prerequisite_state');
  update supply.suppliers s set
    sync_every = set_supplier_sync.sync_every, updated_at = now(),
    sync_due_at = case when set_supplier_sync.sync_every is not null
      then least(s.sync_due_at, now() + set_supplier_sync.sync_every) end
  where s.code = known.code and s.sync_every is distinct from set_supplier_sync.sync_every;
  if found then
    if set_supplier_sync.sync_every is null then
      perform core.forget_list(known.code);
    end if;
    perform core.log_operator('set_supplier_sync', 'supplier ' || code, jsonb_build_object('sync_every', sync_every,
      'before', known.sync_every));
    raise notice 'supplier %: its list is read % (before: %)', known.code, coalesce('every ' || sync_every, 'never'),
      coalesce('every ' || known.sync_every, 'never');
  else
    raise notice 'supplier % has this interval already: nothing changed', known.code;
  end if;
end
$$;
comment on function ops.set_supplier_sync is
  'Sets how often workers read the costs and the stock of a supplier, from 1 minute to 30 days. Null: never, and its
last list no longer counts. Raises where its protocol has no list.';
