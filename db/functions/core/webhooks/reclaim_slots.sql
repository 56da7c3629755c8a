create or replace function core.reclaim_slots()
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  with unleased as materialized (
    select e.id from supply.events e
    -- The first condition is that of the index.
    where e.state in ('ready', 'sending') and e.state = 'ready' and e.lease_expires_at <= now()
    for no key update skip locked
  ), looked_up as materialized (
    select u.id, j.run_at from unleased u
    left join lateral (
      select j.run_at from core.jobs j
      where j.key = 'deliver_webhook:' || u.id
        and (j.last_error is not null or j.run_at < now() + interval '10 minutes') offset 0) as j on true
  )
  update supply.events e set
    state = case when l.run_at is null then 'queued' when l.run_at > now() then 'waiting' else 'ready' end,
    next_attempt_at = greatest(e.next_attempt_at, l.run_at),
    lease_expires_at = case when l.run_at <= now() then now() + interval '10 s' end
  from looked_up l where e.id = l.id;
end
$$;
comment on function core.reclaim_slots is
  'Takes slots back from ready events that no worker leased within 10 s: an event whose job failed waits until that runs again, and one
without a job, or with one in the far future, is queued again. An event whose job is due keeps its slot: the workers are busy.';
