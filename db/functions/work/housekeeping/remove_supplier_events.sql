create or replace function work.remove_supplier_events(retain interval, is_first boolean)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 1000;
  before constant timestamptz := now() - retain;
  run supply.housekeeping := core.begin_removal('supplier events', is_first);
  count int;
begin
  if run.what is null then
    return false;
  end if;
  delete from supply.supplier_events e
  where (e.supplier, e.event_id) in (
    select o.supplier, o.event_id from supply.supplier_events o
    where o.received_at < before order by o.received_at limit at_once for update skip locked);
  get diagnostics count = row_count;
  return core.end_removal(run, count, before, count = at_once);
end
$$;
comment on function work.remove_supplier_events is
  'Removes the records of events that suppliers pushed longer ago than retain, 1,000 at a time. Returns whether there is more: call it with is_first, '
  'then without until it returns false. Calls at the same time share the work.';
