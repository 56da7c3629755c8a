create or replace function work.remove_offer_changes(retain interval, is_first boolean)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 1000;
  oldest constant timestamptz := now() - retain;
  run supply.housekeeping := core.begin_removal('offer changes', is_first);
  count int;
begin
  if run.what is null then
    return false;
  end if;
  delete from supply.offer_changes c
  where c.id in (
    select o.id from supply.offer_changes o
    where o.changed_at < oldest order by o.changed_at limit at_once for update skip locked);
  get diagnostics count = row_count;
  return core.end_removal(run, count, oldest, count = at_once);
end
$$;
comment on function work.remove_offer_changes is
  'Removes what suppliers'' lists changed in our offers longer ago than retain, 1,000 changes at a time. Returns whether there is more: call it with '
  'is_first, then without until it returns false. Calls at the same time share the work.';
