-- Roles: support
create or replace function ops.redeliver(event_id uuid, callback_url text default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  event supply.events := core.lock_event(event_id);
  host text;
begin
  perform core.require(event.state = 'dead',
    format('event %s is no dead letter: it is %s', event.id,
      (select e.state from ops.events e where e.event_id = event.id)),
    'object_not_in_prerequisite_state',
    case event.state
      when 'delivered' then 'The receiver accepted it: ops.delivery_attempts shows when.'
      when 'sending' then 'Its attempt is under way: ops.delivery_attempts shows how it ends.'
      when 'held' then 'It is held since a restore: ops.release_events sends it.'
      else 'Workers send it; ops.deliver_now makes its next attempt due now.' end);
  if callback_url is not null then
    host := core.callback_host('callback_url', callback_url);
  end if;
  if callback_url <> event.callback_url then
    update supply.events e set callback_url = redeliver.callback_url where e.id = event.id;
    raise notice 'event % goes to % from now on, no longer to %', event.id, callback_url, event.callback_url;
  end if;
  perform core.start_rounds(array[event.id]);
  perform core.log_operator('redeliver', 'event ' || event.id,
    jsonb_strip_nulls(jsonb_build_object('dead_reason', event.dead_reason, 'host', host)));
  raise notice 'event % begins round %: attempt 1 of 9 is due now', event.id, event.round + 1;
end
$$;
comment on function ops.redeliver(uuid, text) is 'As ops.redeliver(text, text), for the id of an event.';

create or replace function ops.redeliver(event text, callback_url text default null)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select ops.redeliver(core.refer_to('event', event)::uuid, callback_url)
$$;
comment on function ops.redeliver(text, text) is
  'Sends a dead letter again: a new round over the retry ladder, due now, with the same event id and bytes.
callback_url: the new address, if the old one was wrong; the worker checks it as any other. Raises if the event is not
dead. Specification 6.6.';
