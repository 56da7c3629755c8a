create or replace function core.restore_events()
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  overdue uuid[];
  queued uuid[];
begin
  -- A worker tries to record a result for at most half a minute after its lease.
  perform core.lose_attempts(array(
    select e.id from supply.events e where e.state = 'sending' and e.lease_expires_at < now() - interval '30 s'
    order by e.id for no key update skip locked));
  overdue := array(
    select e.id from supply.events e where e.state = 'ready' and e.lease_expires_at <= now()
    for no key update skip locked
  ) || array(
    select e.id from supply.events e where e.state = 'waiting' and e.next_attempt_at < now() - interval '5 s'
    order by e.next_attempt_at limit 10000 for no key update skip locked);
  with judged as materialized (
    select e.id, j.run_at, case
      when j.run_at is null then 'queued'
      when e.state = 'waiting' then case when j.is_free and j.run_at <= now() then 'queued' else 'waiting' end
      when j.run_at > now() then 'waiting'
      else 'ready'
    end as state
    from unnest(overdue) as o (id)
    cross join lateral (select e.id, e.state from supply.events e where e.id = o.id offset 0) as e
    left join lateral (
      select j.run_at, j.is_available and j.last_error is null as is_free from core.jobs j
      -- A job that killed its worker comes back within minutes. No other one is far from the time of its event.
      where j.key = 'deliver_webhook:' || e.id
        and (j.last_error is not null or j.run_at < now() + interval '10 minutes') offset 0) as j on true
  ), changed as (
    update supply.events e set
      state = j.state,
      next_attempt_at = greatest(e.next_attempt_at, case when j.state = 'waiting' then j.run_at end),
      lease_expires_at = case j.state when 'ready' then now() + interval '10 s' end
    from judged j where e.id = j.id and (e.state, j.state) <> ('waiting', 'waiting')
    returning e.id, e.state
  )
  select array_agg(c.id) into queued from changed c where c.state = 'queued';
  perform core.remove_jobs('deliver_webhook', queued);
  -- An order that ended while its recovery did may have its event held.
  update supply.events e set state = 'queued', next_attempt_at = now()
  where e.id = any (array(
    select h.id from supply.events h
    where h.state = 'held' and not exists (select from supply.recoveries r where r.ended_at is null)
    order by h.id limit 10000 for no key update skip locked));
end
$$;
comment on function core.restore_events is
  'Restores events that are due and have no job: attempts are lost 30 s after their lease; events that no worker leased
10 s after their slot or 5 s after their rung, and those held since no recovery is open, are queued. Some wait for a job
that comes back after a failure. If the job of a ready event is due, workers are busy, and the event keeps its slot.';
