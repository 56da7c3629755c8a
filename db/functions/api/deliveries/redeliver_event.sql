create or replace function api.redeliver_event(
  account_id bigint, key_id bigint, event_id uuid, callback_url text default null
)
returns table (result text, retry_after int, body json)
language plpgsql security definer set search_path = pg_catalog, pg_temp
  -- Others need the connection.
  set lock_timeout = '200ms'
as $$
declare
  subject constant text := redeliver_event.account_id;
  made record;
  event supply.events;
  requested_at timestamptz;
begin
  -- Requests of one account follow each other: before an event is locked.
  select c.* into made from core.count_hits('redeliveries', array[subject], '{0}', '{60}') c;
  select e.* into event from supply.events e
  -- guard: a partner redelivers its own events only
  where e.id = redeliver_event.event_id and e.account_id = redeliver_event.account_id and not e.simulated
  for no key update;
  requested_at := core.last_redelivery(event.id);
  result := case
    when event.id is null then 'EVENT_NOT_FOUND'
    when requested_at is not null then 'REDELIVERED_RECENTLY'
    when event.state not in ('delivered', 'dead') then 'EVENT_NOT_FINAL'
    when made.hits >= 60 then 'TOO_MANY_REDELIVERIES'
    else 'started'
  end;
  retry_after := case result
    when 'REDELIVERED_RECENTLY' then core.seconds_left(requested_at + interval '1 minute')
    when 'TOO_MANY_REDELIVERIES' then core.seconds_left(made.ends_at)
  end;
  if result = 'started' then
    perform core.count_hits('redeliveries', array[subject], '{1}', '{60}');
    perform core.start_rounds(
      array[event.id], array['delivered', 'dead'], redeliver_event.key_id, redeliver_event.callback_url);
    body := core.event_deliveries(event.id);
  end if;
  return next;
end
$$;
comment on function api.redeliver_event is
  'Starts a new round for an event of the account that was delivered or is dead, at another callback URL if one is
given. Returns started with its deliveries; EVENT_NOT_FOUND; EVENT_NOT_FINAL; or, with the seconds to wait,
REDELIVERED_RECENTLY (within a minute of the last request for the event) or TOO_MANY_REDELIVERIES (over 60 a minute).
nullable: retry_after, body';
