create or replace function core.limit_items(item_ids uuid[])
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  update supply.order_items i set
    limited_at = least(i.limited_at, now()), limited_rank = core.limited_rank(i),
    next_check_at = least(i.next_check_at, now()), lease_expires_at = null
  where i.id = any (item_ids)
$$;
comment on function core.limit_items is
  'Has open items wait for a place at their supplier from now on. They need no job: core.fill_places makes it. The
caller holds the locks of the items.';
