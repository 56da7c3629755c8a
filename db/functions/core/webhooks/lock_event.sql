create or replace function core.lock_event(reference anycompatible)
returns supply.events
language sql set search_path = pg_catalog, pg_temp
as $$
  select core.end_when_idle();
  select e.* from supply.events e
  where e.id = core.refer_to('event', reference)::uuid for no key update
$$;
comment on function core.lock_event is
  'Returns the event that a reference means (core.refer_to), locked until the transaction ends.';
