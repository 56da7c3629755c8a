create or replace function core.end_removal(
  run supply.housekeeping, count bigint, before timestamptz, is_more boolean, position_at timestamptz default null, position_id text default null
)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  update supply.housekeeping h set
    removed = h.removed + end_removal.count,
    removed_before = case when end_removal.count > 0 then greatest(h.removed_before, end_removal.before) else h.removed_before end,
    last_run_at = case when is_more then h.last_run_at else clock_timestamp() end,
    last_count = case when is_more then h.last_count else coalesce(h.pass_count, 0) + end_removal.count end,
    pass_count = case when is_more then coalesce(h.pass_count, 0) + end_removal.count end,
    position_at = case when is_more then end_removal.position_at end,
    position_id = case when is_more then end_removal.position_id end
  where h.what = run.what;
  return is_more;
end
$$;
comment on function core.end_removal is
  'Counts what a part of a pass removed that is older than before, and how far it looked. Without more to look at, the pass ends. Returns is_more.';
