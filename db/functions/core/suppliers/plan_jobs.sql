create or replace function core.plan_jobs(item_ids uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  planned record;
begin
  -- Where items wait for a place, the next question waits with them. So few jobs wait for their time.
  update supply.order_items i set limited_at = i.next_check_at, limited_rank = core.limited_rank(i)
  where i.id = any (item_ids) and i.completed_at is null and i.next_check_at is not null and i.lease_expires_at is null
    and i.limited_at is null and (
      select true from supply.order_items w
      where w.supplier = i.supplier and w.limited_at is not null and w.limited_rank >= 0 and w.completed_at is null
      limit 1);
  select coalesce(array_agg(i.id), '{}') as ids, array_agg(i.next_check_at) as due_at into planned
  from supply.order_items i
  where i.id = any (item_ids) and i.completed_at is null and i.next_check_at is not null
    and i.lease_expires_at is null and i.limited_rank is null;
  perform core.enqueue('call_supplier', planned.ids, planned.due_at, 'call_supplier');
end
$$;
comment on function core.plan_jobs is
  'Adds the jobs of the next calls about open items, as planned. Where others wait for a place at the supplier, the
item waits without a job from the planned time on. The caller holds the locks of the items.';
