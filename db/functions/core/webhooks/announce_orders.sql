create or replace function core.announce_orders(order_ids bigint[], account_ids bigint[], held bigint[], to_send int, pool_id text)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if cardinality(order_ids) = 0 then
    return '{}';
  end if;
  insert into supply.events (id, account_id, order_id, order_code, event_type, callback_url, body, state, next_attempt_at)
  select e.event_id, e.account_id, e.order_id, e.order_code, e.event_type, e.callback_url, e.body,
    case when e.order_id = any (held) then 'held' else 'queued' end,
    case when e.order_id = any (held) then null else now() end
  from core.order_events(order_ids) e;
  return core.fill_slots(core.lock_slots(account_ids), to_send => to_send, pool_id => pool_id);
end
$$;
comment on function core.announce_orders is
  'Writes the events of orders that ended (core.order_events), and gives them the free slots of their accounts. Those of the orders in held are held. '
  'Leases up to to_send first attempts to the pool and returns their events. account_ids are the accounts of the orders; '
  'the caller holds the locks of the orders. Specification 6.';
