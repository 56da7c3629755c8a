create or replace function core.deliver_later(event_ids uuid[], run_at timestamptz[] default null, priority int default 0)
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  select core.enqueue('deliver_waiting', event_ids, run_at, 'deliver_webhook', priority)
$$;
comment on function core.deliver_later is
  'Enqueues the deliveries of events that have to wait, for a rung or in line. They have a task and workers of their own, so that whatever a '
  'receiver leaves waiting does not stand before the first attempts of others.';
revoke all on function core.deliver_later from public;
