create or replace function work.remove_supplier_attempts(retain interval, is_first boolean)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 1000;
  before constant timestamptz := now() - retain;
  run supply.housekeeping := core.begin_removal('supplier attempts', is_first);
  looked record;
  old bigint[];
begin
  if run.what is null then
    return false;
  end if;
  select count(*) as count, (array_agg(a.started_at order by a.started_at desc, a.id desc))[1] as last_at,
    (array_agg(a.id order by a.started_at desc, a.id desc))[1] as last_id,
    coalesce(array_agg(a.id) filter (where a.is_final), '{}') as removable
  into looked
  from (
    select a.id, a.started_at, (select i.completed_at is not null from supply.order_items i where i.id = a.item_id) as is_final
    from supply.supplier_attempts a
    where a.started_at < before and (a.started_at, a.id)
      > (coalesce(run.position_at, '-infinity'), coalesce(run.position_id::bigint, 0))
    order by a.started_at, a.id limit at_once
  ) as a;
  old := array(select a.id from supply.supplier_attempts a where a.id = any (looked.removable) for update skip locked);
  delete from supply.supplier_attempts a where a.id = any (old);
  return core.end_removal(run, cardinality(old), before, looked.count = at_once, looked.last_at, looked.last_id::text);
end
$$;
comment on function work.remove_supplier_attempts is
  'Removes attempts at suppliers that began longer ago than retain, but none of an open item: looks at 1,000 at a time, oldest first. Returns whether '
  'there is more to look at: call it with is_first, then without until it returns false. Calls at the same time share the work. A supplier '
  'that pushes a result for an item without attempts learns that the reference is unknown.';
