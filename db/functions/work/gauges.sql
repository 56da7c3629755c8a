create or replace function work.gauges()
returns table (
  events_waiting int, events_due int, events_sending int, dead_letters int, items_open int, items_stuck int, items_held int,
  oldest_due_job_seconds double precision
)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select
    e.rungs + e.queued + e.ready,
    e.rungs_due + e.queued + e.ready,
    e.sending,
    (select count(*)::int from supply.events e where e.state = 'dead' and not e.simulated),
    (select count(*)::int from supply.order_items i where i.completed_at is null),
    (select count(*)::int from supply.order_items i where i.stuck_at is not null and i.completed_at is null),
    (select count(*)::int from supply.order_items i where i.held_at is not null and i.completed_at is null),
    (
      select coalesce(greatest(extract(epoch from now() - min(j.run_at)), 0), 0)::double precision
      from core.jobs j where j.locked_at is null and j.attempts < j.max_attempts and j.run_at <= now()
    )
  from (
    select
      (select count(*)::int from supply.events e where e.state = 'waiting') as rungs,
      (select count(*)::int from supply.events e where e.state = 'waiting' and e.next_attempt_at <= now()) as rungs_due,
      (select count(*)::int from supply.events e where e.state = 'queued') as queued,
      (select count(*)::int from supply.events e where e.state in ('ready', 'sending') and e.state = 'ready') as ready,
      (select count(*)::int from supply.events e where e.state in ('ready', 'sending') and e.state = 'sending') as sending
  ) as e
$$;
comment on function work.gauges is
  'How much there is to do, in one row for the metrics: events by state (due: waiting for their turn now), dead letters, open order items and '
  'those of them that are stuck or held, and for how many seconds the oldest due job has been waiting for a worker.';
