-- Roles: support
create or replace function ops.poll_all(supplier text)
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  ids uuid[];
begin
  perform core.require(exists (select from supply.suppliers s where s.code = poll_all.supplier),
    format('there is no supplier %L', supplier), 'no_data_found', 'ops.suppliers lists the suppliers.');
  ids := array(
    select i.id from supply.order_items i
    where i.supplier = poll_all.supplier and i.completed_at is null order by i.id for no key update skip locked);
  update supply.order_items i set next_check_at = now() where i.id = any (ids);
  perform core.enqueue('call_supplier', ids, key => 'call_supplier');
  perform core.log_operator('poll_all', 'supplier ' || supplier, jsonb_build_object('items', cardinality(ids)));
  raise notice 'supplier %: the calls about % open items are due now', supplier, cardinality(ids);
  return cardinality(ids);
end
$$;
comment on function ops.poll_all is
  'Makes the next call about each open item of a supplier due now, as ops.poll_now for one, and returns how many items.
Skips items that have ended or are being changed.';
