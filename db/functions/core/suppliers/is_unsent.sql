create or replace function core.is_unsent(item supply.order_items)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select item.completed_at is null and item.sent_at is null and item.recovered_at is null
    and coalesce(item.lease_expires_at <= now(), true)
$$;
comment on function core.is_unsent is
  'Returns whether it is certain that no supplier has the item: it is open, no call sent it, and none that could is
under way.';
