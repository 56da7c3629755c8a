-- Roles: operator
create or replace function ops.begin_recovery(note text)
returns table (items_to_ask bigint, events_held bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  items bigint;
  events bigint;
  own uuid[];
begin
  perform core.require(length(note) between 1 and 500, 'note must say what was restored, in up to 500 characters');
  -- If the back-up was taken during a recovery, the new one replaces it.
  if work.check_origin() is not null then
    update supply.recoveries r set ended_at = now() where r.ended_at is null;
  end if;
  perform core.require(not exists (select from supply.recoveries r where r.ended_at is null),
    'a recovery is open already: see ops.recovery', 'object_not_in_prerequisite_state');
  insert into supply.recoveries (note) values (begin_recovery.note);
  perform core.record_origin();
  -- A pool without a heartbeat is dead, or works on the other database.
  perform core.free_pools(array(
    select p.pool_id from supply.worker_pools p where p.seen_at <= now() - interval '10 s'
    union
    select j.locked_by from core.jobs j
    where j.locked_by is not null and not exists (select from supply.worker_pools p where p.pool_id = j.locked_by)));

  -- Codes that were sold after the back-up are free here: an operator withdraws them before the stock sells again.
  update supply.suppliers s set
    paused_at = now(), paused_reason = 'a recovery: withdraw what was sold since the back-up'
  where s.protocol = 'stock' and s.paused_at is null;
  own := array(
    select i.id from supply.order_items i join supply.suppliers s on s.code = i.supplier
    where i.completed_at is null and s.protocol = 'stock');

  perform 1 from supply.order_items i where i.completed_at is null order by i.id for no key update;
  update supply.order_items i set
    recovered_at = now(), limited_at = i.next_check_at,
    limited_rank = case when i.next_check_at is not null then 0 end
  where i.id = any (own) and i.completed_at is null;
  update supply.order_items i set
    recovered_at = now(), next_call = 'get', lease_token = null, lease_expires_at = null,
    next_check_at = case when i.lease_expires_at is null then i.next_check_at else now() end,
    limited_at = case when i.lease_expires_at is null then i.next_check_at else now() end,
    limited_rank = case when coalesce(i.lease_expires_at, i.next_check_at) is not null then 1 + least(i.checks, 7) end
  where i.completed_at is null and i.id <> all (own);
  get diagnostics items = row_count;
  -- They wait for places at their suppliers. Their jobs would be in front of those of new orders.
  perform core.remove_jobs('call_supplier', array(
    select i.id from supply.order_items i where i.completed_at is null));
  events := core.hold_events();
  -- Partners may have read numbers that were given after the back-up: no other order gets these.
  update supply.result_marks m set
    last_seq = m.last_seq + 1000000, restarts = m.restarts || m.last_seq + 1000001;
  perform core.log_operator('begin_recovery', 'database ' || current_database(),
    jsonb_build_object('note', note, 'items', items, 'events', events));
  raise notice 'the recovery is open: % items are asked for, % events are held; ops.recovery shows what it waits for',
    items, events;
  return query select items, events;
end
$$;
comment on function ops.begin_recovery is
  'Begins a recovery on a restored database, before a worker runs, and returns how many items and events it concerns.
Workers ask suppliers for open items before they send them. Undelivered events are held until ops.release_events, and
our own stock is paused. Numbers of results continue a million higher. note: what was restored. An open one ends.';
