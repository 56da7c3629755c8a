create or replace function core.calls_under_way(supplier text)
returns int
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select count(*)::int
  from supply.supplier_attempts a
  join supply.order_items i on i.id = a.item_id
  -- A lease is shorter, but a transaction may have waited for locks. With two bounds the planner takes the index.
  where a.started_at > now() - interval '50 s' and a.started_at < now() + interval '1 minute'
    and a.supplier = calls_under_way.supplier and a.finished_at is null and a.method in ('put', 'get')
    -- A push that settles an item ends its lease, but not its call.
    and i.lease_token = a.lease_token and (i.lease_expires_at is null or i.lease_expires_at > now())
$$;
comment on function core.calls_under_way is
  'Returns how many calls to the supplier are under way over all workers: without a result, and with a lease.';
