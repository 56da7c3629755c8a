create or replace function work.remove_old(what text, retain interval, is_first boolean)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
-- A part is read from its beginning in the order of its index, never collected and sorted.
set enable_sort = off set enable_bitmapscan = off
as $$
declare
  at_once constant int := 1000;
  kept_since constant timestamptz := now() - retain;
  pass supply.housekeeping;
  looked_at int;
  until timestamptz;
  ids uuid[];
  order_ids bigint[];
  gone int;
begin
  select h.* into pass from supply.housekeeping h
  where h.what = remove_old.what and (is_first or h.pass_count is not null)
  for no key update skip locked;
  if not found then
    return false;
  end if;
  pass.position_at := coalesce(pass.position_at, '-infinity');

  case what
    when 'raw answers' then
      update supply.supplier_attempts a set raw = null where a.id = any (array(
        select o.id from supply.supplier_attempts o where o.raw is not null and o.started_at < kept_since
        order by o.started_at limit at_once for no key update skip locked));
    when 'supplier attempts' then
      -- The attempts of open items stay: a part reads the next thousand attempts, and deletes those of final items.
      select count(*), max(o.started_at) into looked_at, until from (
        select a.started_at from supply.supplier_attempts a
        where a.started_at > pass.position_at and a.started_at < kept_since order by a.started_at limit at_once) as o;
      delete from supply.supplier_attempts a where a.id = any (array(
        select o.id from supply.supplier_attempts o
        where o.started_at > pass.position_at and o.started_at <= until
          and (select i.completed_at is not null from supply.order_items i where i.id = o.item_id)
        for update skip locked));
    when 'delivery attempts' then
      select count(*), max(o.started_at) into looked_at, until from (
        select a.started_at from supply.delivery_attempts a
        where a.started_at > pass.position_at and a.started_at < kept_since order by a.started_at limit at_once) as o;
      ids := array(
        select o.lease_token from supply.delivery_attempts o
        where o.started_at > pass.position_at and o.started_at <= until
          and (select e.state in ('delivered', 'dead') from supply.events e where e.id = o.event_id)
          -- With an attempt goes the request that began its round. Both stay if another transaction has locked it.
          and not exists (
            select from supply.redelivery_requests r
            where r.event_id = o.event_id and r.round = o.round and r.requested_at < kept_since
              and (select true from supply.redelivery_requests f where f.ctid = r.ctid for update skip locked) is null)
        for update skip locked);
      delete from supply.redelivery_requests r using supply.delivery_attempts a
      where a.lease_token = any (ids) and r.event_id = a.event_id and r.round = a.round and r.requested_at < kept_since;
      delete from supply.delivery_attempts a where a.lease_token = any (ids);
    when 'supplier events' then
      delete from supply.supplier_events e where (e.supplier, e.event_id) in (
        select o.supplier, o.event_id from supply.supplier_events o where o.received_at < kept_since
        order by o.received_at limit at_once for update skip locked);
    when 'offer changes' then
      delete from supply.offer_changes c where c.id = any (array(
        select o.id from supply.offer_changes o where o.changed_at < kept_since
        order by o.changed_at limit at_once for update skip locked));
    when 'imports', 'statements' then
      delete from supply.import_lines l where (l.import_id, l.id) in (
        select o.import_id, o.id from supply.imports i join supply.import_lines o on o.import_id = i.id
        where i.loaded_at < kept_since and (i.kind = 'supplier_statement') = (remove_old.what = 'statements')
        order by i.loaded_at limit at_once for update of o skip locked);
      get diagnostics looked_at = row_count;
      delete from supply.imports i where i.id = any (array(
        select o.id from supply.imports o
        where o.loaded_at < kept_since and o.state <> 'applied'
          and (o.kind = 'supplier_statement') = (remove_old.what = 'statements')
          and not exists (select from supply.import_lines l where l.import_id = o.id)
        for update skip locked));
    when 'delivery data' then
      order_ids := array(
        select o.id from supply.orders o
        where o.completed_at is not null and o.completed_at < kept_since and o.items_fingerprint is null
        order by o.completed_at limit at_once for no key update skip locked);
      looked_at := cardinality(order_ids);
      order_ids := core.lock_to_erase(order_ids);
      -- A pass ends where all that it finds is locked.
      looked_at := case when order_ids <> '{}' then looked_at else 0 end;
      perform core.erase_orders(order_ids);
    when 'alerts' then
      ids := array(
        select o.id from supply.alerts o
        where o.last_at < kept_since and o.sent_at is not null
          and (o.closed_at < kept_since or (
            select max(l.at) from supply.acknowledgements l where l.alert_id = o.id) < kept_since)
          -- The audit looks for the alert of an item that still waits for an operator.
          and not exists (
            select from supply.order_items i
            cross join lateral (values
              ('item_stuck'::supply.alert_kind, i.stuck_at), ('item_held', i.held_at)) as waits (kind, since)
            where (i.stuck_at is not null or i.held_at is not null) and i.completed_at is null
              and o.kind = waits.kind
              and waits.since between o.first_at - interval '1 minute' and o.last_at + interval '1 minute')
          and not exists (
            select from supply.acknowledgements l
            where l.alert_id = o.id
              and (select true from supply.acknowledgements f where f.ctid = l.ctid for update skip locked) is null)
        order by o.last_at limit at_once for update skip locked);
      delete from supply.acknowledgements l where l.alert_id = any (ids);
      delete from supply.alerts a where a.id = any (ids);
    when 'rate windows' then
      delete from supply.rate_windows w where (w.kind, w.subject) in (
        select o.kind, o.subject from supply.rate_windows o where o.started_at < kept_since
        limit at_once for update skip locked);
    when 'samples' then
      -- Locked first: an attempt that begins meanwhile is either seen by the next statement, or finds no event.
      ids := array(
        select e.id from supply.events e
        where e.simulated and e.order_code is not null and e.created_at < kept_since
          and not exists (
            select from supply.delivery_attempts a
            where a.event_id = e.id
              and (select true from supply.delivery_attempts f where f.ctid = a.ctid for update skip locked) is null)
        order by e.created_at limit at_once for update skip locked);
      delete from supply.delivery_attempts a where a.event_id = any (ids);
      delete from supply.events e where e.id = any (ids);
    when 'simulated orders' then
      delete from supply.simulated_orders s where s.id = any (array(
        select o.id from supply.simulated_orders o where o.created_at < kept_since
        order by o.created_at limit at_once for update skip locked));
  end case;
  get diagnostics gone = row_count;
  gone := coalesce(cardinality(order_ids), gone);

  looked_at := coalesce(looked_at, gone);
  update supply.housekeeping h set
    removed = h.removed + gone,
    removed_before = case when gone > 0 then greatest(h.removed_before, kept_since) else h.removed_before end,
    last_run_at = case when looked_at < at_once then clock_timestamp() else h.last_run_at end,
    last_count = case when looked_at < at_once then coalesce(h.pass_count, 0) + gone else h.last_count end,
    pass_count = case when looked_at >= at_once then coalesce(h.pass_count, 0) + gone end,
    position_at = case when looked_at >= at_once then until end
  where h.what = pass.what;
  return looked_at >= at_once;
end
$$;
comment on function work.remove_old is
  'Deletes what is older than retain, a thousand rows a call, of one kind (supply.housekeeping.what); delivery data is
erased. Returns whether there is more. is_first begins a pass. Attempts of open items and undelivered events stay, and
so do alerts of items that wait for an operator. Returns false at once while another worker does the same.';
