create or replace function work.fill_places()
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  suppliers text[];
begin
  with recursive waiting (supplier) as (
    (select i.supplier from supply.order_items i
      where i.limited_at is not null and i.completed_at is null and i.limited_rank >= 0 order by i.supplier limit 1)
    union all
    select (
      select i.supplier from supply.order_items i
      where i.limited_at is not null and i.completed_at is null and i.supplier > w.supplier
      order by i.supplier limit 1)
    from waiting w where w.supplier is not null
  )
  select coalesce(array_agg(w.supplier), '{}') into suppliers from waiting w where w.supplier is not null;
  -- Usually none waits, and nothing is written.
  if cardinality(suppliers) = 0 or not core.may_call_suppliers() or not core.begin_periodic_task('fill_places') then
    return;
  end if;
  perform core.move_waiting();
  perform core.fill_places(suppliers);
end
$$;
comment on function work.fill_places is
  'Gives free places of suppliers to the items that wait for them, as core.fill_places, and moves items to suppliers
that can serve. The end of a call does it at once; this is for pauses that end, limits that change, rates, and calls
whose worker died. Call it every second from each worker; only one runs at a time.';
