create or replace function api.redeliver_event(account_id bigint, key_id bigint, event_id uuid)
returns table (result text, retry_after int, body json)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  event supply.events;
  requested_at timestamptz;
begin
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
  else
    insert into supply.redelivery_requests (event_id, round, key_id) values (event.id, event.ladder + 1, redeliver_event.key_id);
    perform core.start_rounds(array[event.id], array['delivered', 'dead']);
    return query select 'started', null::int, core.event_deliveries(event.id);
  end if;
end
$$;
comment on function api.redeliver_event is
  'Starts a new round over the retry ladder for an event of the account that was delivered or is a dead letter, as its partner asks with the key: '
  'started, with how far it is; EVENT_NOT_FOUND, also of a sample; REDELIVERED_RECENTLY within a minute of the last such request, with the '
  'seconds after which to ask again; or EVENT_NOT_FINAL. Specification 6.6.
nullable: retry_after, body';
