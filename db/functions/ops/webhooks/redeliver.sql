-- Roles: support
create or replace function ops.redeliver(event_id uuid, callback_url text default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  event supply.events := core.lock_event(event_id);
begin
  perform core.require(event.state in ('dead', 'delivered'),
    format('event %s is still being delivered: it is %s, after %s of 9 attempts', event.id,
      (select e.state from ops.events e where e.event_id = event.id), event.attempts),
    'object_not_in_prerequisite_state',
    case event.state
      when 'sending' then 'Its attempt is under way: ops.delivery_attempts shows how it ends.'
      when 'held' then 'It is held since a restore: ops.release_events sends it.'
      else 'Workers send it; ops.deliver_now makes its next attempt due now.' end);
  if callback_url <> event.callback_url then
    perform core.require_partner_host(array[event.account_id], callback_url);
  end if;
  perform core.start_rounds(array[event.id], '{delivered,dead}', callback_url => callback_url);
  perform core.log_operator('redeliver', 'event ' || event.id, jsonb_strip_nulls(jsonb_build_object(
    'dead_reason', event.dead_reason, 'delivered_at', event.delivered_at, 'host_before',
    case when callback_url <> event.callback_url then core.url_host(event.callback_url) end,
    'host', core.url_host(callback_url))));
  raise notice '%', concat(
    format('event %s of order %s begins round %s: attempt 1 of 9 is due now', event.id, event.order_code,
      event.round + 1),
    '; its receiver accepted it before, on ' || date_trunc('second', event.delivered_at),
    case when callback_url <> event.callback_url
      then format('; it goes to %s from now on, no longer to %s', callback_url, event.callback_url) end);
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
  'Sends a dead letter or a delivered event again: a new round over the retry ladder, due now, with the same id and
bytes. callback_url: a new address, whose host the partner used within 90 days. Raises for an event that is still being
delivered. Specification 6.6.';

create or replace function ops.redeliver(event anycompatible, callback_url text default null)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select ops.redeliver(core.refer_to('event', event)::uuid, callback_url)
$$;
comment on function ops.redeliver(anycompatible, text) is
  'As ops.redeliver(text, text), for the argument event => event_id of a view.';
