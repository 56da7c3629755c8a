create or replace function core.wait_for_event(event_id uuid, wait_ms int)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  lock_timeout constant text := current_setting('lock_timeout');
begin
  perform set_config('lock_timeout', wait_ms::text, true);
  perform 1 from supply.events e where e.id = wait_for_event.event_id for no key update;
  perform set_config('lock_timeout', lock_timeout, true);
exception when lock_not_available then
  -- Its setting went with the lock.
  null;
end
$$;
comment on function core.wait_for_event is
  'Locks the event until the transaction ends, or gives up after wait_ms milliseconds. Call it before any other row is locked: nobody waits for one who waits.';
