create or replace function core.limit_items(item_ids uuid[], ready_at timestamptz default now())
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  update supply.order_items i set
    limited_at = least(coalesce(i.limited_at, ready_at), ready_at), limited_rank = core.limited_rank(i),
    next_check_at = least(coalesce(i.next_check_at, ready_at), ready_at), lease_expires_at = null
  where i.id = any (item_ids)
$$;
comment on function core.limit_items is
  'Has open items wait for a place at their supplier from ready_at on. They need no job: core.fill_places makes it. The
caller holds the locks of the items.';
