create or replace function core.hold_events()
returns bigint
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  held uuid[];
begin
  perform 1 from supply.events e
  where e.state in ('waiting', 'queued', 'ready', 'sending') and not e.simulated order by e.id for no key update;
  perform core.lose_attempts(array(
    select e.id from supply.events e where e.state = 'sending' and not e.simulated order by e.id), now());

  with changed as (
    update supply.events e set state = 'held', next_attempt_at = null, lease_expires_at = null, lease_token = null
    where e.state in ('waiting', 'queued', 'ready') and not e.simulated
    returning e.id
  )
  select coalesce(array_agg(c.id), '{}') into held from changed c;
  perform core.remove_jobs('deliver_webhook', held);
  return cardinality(held);
end
$$;
comment on function core.hold_events is
  'Holds all undelivered events, deletes their jobs and returns how many. Attempts under way count as lost; a lost
ninth attempt makes a dead letter. Samples are not held.';
