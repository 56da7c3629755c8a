-- Roles: operator
create or replace function ops.end_recovery()
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  ended supply.recoveries;
  remaining ops.recovery;
begin
  select r.* into ended from supply.recoveries r where r.ended_at is null for update;
  perform core.require(found, 'no recovery is open', 'object_not_in_prerequisite_state');
  select r.* into remaining from ops.recovery r where r.ended_at is null;
  perform core.require(remaining.events_held = 0,
    format('%s events are held: ops.release_events sends them', remaining.events_held),
      'object_not_in_prerequisite_state');
  perform core.require(remaining.items_to_ask = 0,
    format('the suppliers of %s items have not answered yet: see ops.order_items where to_ask', remaining.items_to_ask),
    'object_not_in_prerequisite_state');
  update supply.recoveries r set ended_at = now() where r.id = ended.id;
  -- Those that ops.begin_recovery paused; others stay paused.
  update supply.suppliers s set paused_at = null, paused_reason = null
  where s.protocol = 'stock' and s.paused_at = ended.began_at;
  perform core.log_operator('end_recovery', 'database ' || current_database(), jsonb_build_object('note', ended.note));
  raise notice 'the recovery that began at % has ended: events are delivered again', ended.began_at::timestamptz(0);
end
$$;
comment on function ops.end_recovery is
  'Ends the open recovery: new events are delivered, and our own stock is sold again. Raises while events are held, or
suppliers have not answered about the items that were open.';
