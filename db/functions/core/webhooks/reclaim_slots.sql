create or replace function core.reclaim_slots()
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  with unleased as materialized (
    select e.id from supply.events e where e.state = 'ready' and e.lease_expires_at <= now()
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
  'Takes back the slots of ready events that no worker leased within 10 s. If the job failed, the event waits until it
runs again. Without a job, or with one far in the future, it is queued again. If the job is due, the workers are busy,
and the event keeps its slot.';
