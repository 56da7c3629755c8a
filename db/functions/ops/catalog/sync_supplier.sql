-- Roles: support, trade
create or replace function ops.sync_supplier(code text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known supply.suppliers := core.lock_supplier(code);
  protocol supply.protocols;
begin
  select p.* into protocol from supply.protocols p where p.name = known.protocol;
  perform core.require(protocol.lists_offers or protocol.reports_balance,
    format('suppliers of the protocol %s list neither costs nor stock, and report no balance', known.protocol),
    'object_not_in_prerequisite_state', 'Set its costs with ops.upsert_offer.');
  perform core.require(known.active, format('supplier %s is not active', code), 'object_not_in_prerequisite_state',
    format('Open it with select ops.set_supplier_active(%L, true).', code));
  if protocol.lists_offers then
    update supply.suppliers s set sync_due_at = now() where s.code = known.code;
  end if;
  if protocol.reports_balance then
    insert into supply.supplier_balances (supplier, due_at) values (known.code, now())
    on conflict on constraint supplier_balances_pkey do update set due_at = now();
  end if;
  perform core.log_operator('sync_supplier', 'supplier ' || code);
  raise notice 'a worker reads % of supplier % now: ops.suppliers shows %', concat_ws(' and ',
      case when protocol.lists_offers then 'the list' end, case when protocol.reports_balance then 'the balance' end),
    known.code, concat_ws('; ', case when protocol.lists_offers then 'synced_at and sync_error' end,
      case when protocol.reports_balance then 'balance_at and balance_error' end);
end
$$;
comment on function ops.sync_supplier is
  'Makes a worker read the costs, the stock and the balance of a supplier now, as far as its protocol has them, also
where its reads are off. Raises if it has none of them, and if it is not active. ops.suppliers shows what was read.';
