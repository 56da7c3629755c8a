create or replace function core.items_wait(supplier text, but uuid[] default '{}')
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- Usually none waits, which the first look shows.
  select (
      select true from supply.order_items i
      where i.supplier = items_wait.supplier and i.limited_at is not null and i.limited_rank >= 0
        and i.completed_at is null limit 1) is true
    and exists (
      select from generate_series(0, 8) as r (rank)
      where (
        select true from supply.order_items i
        where i.supplier = items_wait.supplier and i.limited_rank = r.rank and i.limited_at <= now()
          and i.completed_at is null and i.id <> all (but) limit 1))
$$;
comment on function core.items_wait is
  'Returns whether items wait for a place at a supplier now, apart from those of the list.';
