create or replace function ops.redeliver(event_id uuid)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  event supply.events;
begin
  event := core.lock_event(event_id);
  perform core.require(event.state = 'dead',
    format('event %s is no dead letter: it is %s', event.id, (select e.state from ops.events e where e.event_id = event.id)), 'object_not_in_prerequisite_state',
    case event.state
      when 'delivered' then 'The receiver took it: ops.delivery_attempts shows when.'
      when 'sending' then 'Its attempt is under way: ops.delivery_attempts shows how it ends.'
      when 'held' then 'It is held since a restore: ops.release_events sends it.'
      else 'It is sent by itself; ops.deliver_now makes its next attempt due now.' end);
  perform core.start_rounds(array[event.id]);
  perform core.log_operator('redeliver', 'event ' || event.id, jsonb_build_object('dead_reason', event.dead_reason));
  raise notice 'event % begins round %: attempt 1 of 9 is due now', event.id, event.round + 1;
end
$$;
comment on function ops.redeliver is
  'Starts a new round over the retry ladder for a dead letter, with the same event id and body; its first attempt is due now. '
  'Raises if it is not dead. Specification 6.6.';
