create or replace function core.lease_attempts(event_ids uuid[], pool_id text default null)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  with leased as (
    update supply.events e set
      state = 'sending', attempts = e.attempts + 1, lease_token = core.time_ordered_uuid(),
      lease_expires_at = now() + interval '30 s', leased_by = pool_id, next_attempt_at = null
    where e.id = any (event_ids)
    returning e.id, e.round, e.attempts, e.lease_token
  )
  insert into supply.delivery_attempts (event_id, round, attempt, lease_token, started_at)
  select l.id, l.round, l.attempts, l.lease_token, clock_timestamp() from leased l;
end
$$;
comment on function core.lease_attempts is
  'Leases the next attempts of events that have slots, for 30 s, and counts them before they are sent. pool_id: the
worker pool that makes them without a job; null where a job makes them. The caller has locked the events.
Specification 6.5.';
