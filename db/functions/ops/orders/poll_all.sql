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
    where i.completed_at is null and i.supplier = poll_all.supplier and i.lease_expires_at is null
    order by i.id for no key update skip locked);
  -- They get their places one after the other: as jobs they would delay all other suppliers.
  perform core.limit_items(ids);
  perform core.log_operator('poll_all', 'supplier ' || supplier, jsonb_build_object('items', cardinality(ids)));
  raise notice 'supplier %: % open items are asked for, as its places allow', supplier, cardinality(ids);
  return cardinality(ids);
end
$$;
comment on function ops.poll_all is
  'Makes the next call about each open item of a supplier due, as ops.poll_now for one, and returns how many. They get
places of the supplier one after the other. Skips items whose call is under way, or that are being changed.';
