create or replace function core.claim_attempts(event_ids uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  with claimed as (
    update supply.events e set
      state = 'sending', attempts = e.attempts + 1, claim_id = core.time_ordered_uuid(),
      claim_expires_at = now() + interval '30 s', next_attempt_at = null
    where e.id = any (event_ids)
    returning e.id, e.ladder, e.attempts, e.claim_id
  )
  insert into supply.delivery_attempts (event_id, ladder, attempt, claim_id, started_at)
  select c.id, c.ladder, c.attempts, c.claim_id, clock_timestamp() from claimed c;
end
$$;
comment on function core.claim_attempts is
  'Claims the next attempts to deliver events that have slots, for 30 s, and counts them before their send. What is sent: core.leased_attempts. '
  'The caller holds the locks of the events. Specification 6.5.';
