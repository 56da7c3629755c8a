create or replace function core.lock_event(event_id uuid)
returns supply.events
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  event supply.events;
begin
  select e.* into event from supply.events e where e.id = lock_event.event_id for no key update;
  perform core.require(
    found, format('there is no event %s', coalesce(lock_event.event_id::text, 'null')), 'no_data_found',
    'ops.events lists the events; that of an order: select event_id from ops.events where order_code = ''ord_…''.');
  return event;
end
$$;
comment on function core.lock_event is
  'The event, locked until the transaction ends. Raises no_data_found if there is none.';
