create or replace function api.redeliver_event(account_id bigint, key_id bigint, event_id uuid)
returns table (result text, retry_after int, body json)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  event supply.events;
  requested_at timestamptz;
  time_window supply.redelivery_windows;
begin
  -- The window is locked before the event: requests of one account follow each other, and none holds an event while it waits.
  insert into supply.redelivery_windows as w (account_id, started_at, requests)
  values (redeliver_event.account_id, clock_timestamp(), 0)
  on conflict on constraint redelivery_windows_pkey do update set
    started_at = case when w.started_at <= excluded.started_at - interval '60 s' then excluded.started_at else w.started_at end,
    requests = case when w.started_at <= excluded.started_at - interval '60 s' then 0 else w.requests end
  returning w.* into time_window;

  select e.* into event from supply.events e
  where e.id = redeliver_event.event_id and e.account_id = redeliver_event.account_id and not e.simulated for no key update;
  if not found then
    return query select 'EVENT_NOT_FOUND', null::int, null::json;
    return;
  end if;
  requested_at := (select max(r.requested_at) from supply.redelivery_requests r where r.event_id = event.id);
  if requested_at > clock_timestamp() - interval '1 minute' then
    return query select 'REDELIVERED_RECENTLY',
      least(60, greatest(1, ceil(extract(epoch from requested_at + interval '1 minute' - clock_timestamp()))))::int, null::json;
  elsif event.state not in ('delivered', 'dead') then
    return query select 'EVENT_NOT_FINAL', null::int, null::json;
  elsif time_window.requests >= 60 then
    return query select 'TOO_MANY_REDELIVERIES',
      least(60, greatest(1, ceil(extract(epoch from time_window.started_at + interval '60 s' - clock_timestamp()))))::int, null::json;
  else
    update supply.redelivery_windows w set requests = w.requests + 1 where w.account_id = event.account_id;
    insert into supply.redelivery_requests (event_id, round, key_id) values (event.id, event.round + 1, redeliver_event.key_id);
    perform core.start_rounds(array[event.id], array['delivered', 'dead']);
    return query select 'started', null::int, core.event_deliveries(event.id);
  end if;
end
$$;
comment on function api.redeliver_event is
  'Starts a new round for an event of the account that was delivered or is dead: started, with its deliveries; EVENT_NOT_FOUND,
also of a sample; EVENT_NOT_FINAL; REDELIVERED_RECENTLY within a minute of the last request for the event, or
TOO_MANY_REDELIVERIES beyond 60 a minute, both with the seconds after which to ask again.
nullable: retry_after, body';
