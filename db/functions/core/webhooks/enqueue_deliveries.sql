create or replace function core.enqueue_deliveries(event_ids uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  accounts bigint[] := array(select distinct e.account_id from supply.events e where e.id = any (event_ids));
begin
  if cardinality(accounts) > 0 then
    perform core.fill_slots(core.lock_slots(accounts));
  end if;
end
$$;
comment on function core.enqueue_deliveries is
  'Starts the delivery of events that were just queued: the free slots of their accounts go to the oldest queued events, each with a job.';
