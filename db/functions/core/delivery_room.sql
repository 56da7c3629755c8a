create or replace function core.delivery_room(event_ids uuid[])
returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  account bigint;
  room jsonb := '{}';
begin
  foreach account in array core.lock_deliveries(event_ids) loop
    room := room || jsonb_build_object(account, core.delivery_cap() - core.deliveries_under_way(account));
  end loop;
  return room;
end
$$;
comment on function core.delivery_room is
  'For each account of the events, how many more deliveries may be under way. Locks each account''s deliveries until the transaction ends.';
revoke all on function core.delivery_room from public;
