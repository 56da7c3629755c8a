create or replace function work.prune_rate_windows()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  before constant timestamptz := now() - interval '5 minutes';
  run supply.housekeeping := core.begin_removal('rate windows', true);
  count int;
begin
  if run.what is null then
    return 0;
  end if;
  delete from supply.rate_windows w
  where w.client in (
    select r.client from supply.rate_windows r
    where r.started_at < before limit 10000 for update skip locked);
  get diagnostics count = row_count;
  perform core.end_removal(run, count, before, false);
  return count;
end
$$;
comment on function work.prune_rate_windows is
  'Deletes the windows of requests that ended minutes ago, at most 10,000 at a time, and returns how many. Call it every minute.';
