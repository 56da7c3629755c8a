create or replace function work.follow_timeline()
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  here constant text := core.current_timeline();
begin
  update supply.origin o set moved_to = here, moved_at = now()
  where o.timeline <> here and o.moved_to is distinct from here;
  -- By then each process has looked for what it had acknowledged. The lock keeps a loss that is reported now.
  perform from supply.origin o
  -- guard: suppliers are called after a failover only if nothing was lost
  where o.moved_to = here and o.moved_at < now() - interval '5 s' and o.lost = '{}'
  for no key update;
  if found and work.check_origin() is null then
    perform core.record_origin();
  end if;
  return here;
end
$$;
comment on function work.follow_timeline is
  'Returns the timeline of the database. A new one, after a promotion, is recorded as its origin once a worker has
seen it for 5 s and no process has reported a loss: workers call suppliers again from then on. Call it once a second.';
