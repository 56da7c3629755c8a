create or replace function core.enqueue_deliveries(event_ids uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.fill_slots(core.lock_briefly('delivery_slots', array(
    select distinct e.account_id from supply.events e where e.id = any (event_ids))));
end
$$;
comment on function core.enqueue_deliveries is
  'Starts the delivery of events that were just queued: the free slots of their accounts go to the oldest queued
events.';
