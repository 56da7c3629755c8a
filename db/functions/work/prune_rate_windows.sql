create or replace function work.prune_rate_windows()
returns int
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with deleted as (
    delete from supply.rate_windows w
    where w.client in (
      select r.client from supply.rate_windows r
      where r.started_at < now() - interval '5 minutes' limit 10000 for update skip locked)
    returning 1
  )
  select count(*)::int from deleted
$$;
comment on function work.prune_rate_windows is
  'Deletes the windows of requests that ended minutes ago, at most 10,000 at a time, and returns how many. Call it every minute.';
