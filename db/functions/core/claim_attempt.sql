create or replace function core.claim_attempt(event_id uuid, out claim_id uuid, out attempt int)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  claim_id := gen_random_uuid();
  update supply.events e set
    state = 'sending', attempts = e.attempts + 1, claim_id = claim_attempt.claim_id,
    claim_expires_at = now() + interval '30 s', next_attempt_at = null
  where e.id = claim_attempt.event_id
  returning e.attempts into attempt;
  insert into supply.delivery_attempts (event_id, ladder, attempt, claim_id)
  select e.id, e.ladder, e.attempts, e.claim_id from supply.events e where e.id = claim_attempt.event_id;
end
$$;
comment on function core.claim_attempt is
  'Begins the next attempt of an event, whose lock the caller holds: counts it, and claims it for 30 s.';
revoke all on function core.claim_attempt from public;
