-- Roles: support
create or replace function ops.deliver_now(event_id anycompatible)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  event supply.events := core.lock_event(event_id);
begin
  perform core.require(event.state <> 'dead',
    format('event %s is a dead letter', event.id), 'object_not_in_prerequisite_state',
    format('A new round begins with: select ops.redeliver(%L)', event.id));
  perform core.require(event.state <> 'held',
    format('event %s is held since a restore', event.id), 'object_not_in_prerequisite_state',
    'ops.release_events sends what is held; ops.recovery shows what the recovery waits for.');
  perform core.require(event.state in ('waiting', 'queued', 'ready'),
    format('event %s is not waiting: it is %s', event.id, event.state), 'object_not_in_prerequisite_state',
    'ops.delivery_attempts shows its attempts.');
  perform core.queue_waiting(array[event.id]);
  perform core.log_operator('deliver_now', 'event ' || event.id);
  raise notice 'event %: attempt % of 9 is due now%', event.id, event.attempts + 1,
    case when event.next_attempt_at > now() then '; it would have come at ' || event.next_attempt_at
      else ' already' end;
end
$$;
comment on function ops.deliver_now is
  'Makes the next attempt of a waiting event due now. It counts as one of the nine. While the account''s slots are
taken it is queued. Raises if the event is not waiting.';
