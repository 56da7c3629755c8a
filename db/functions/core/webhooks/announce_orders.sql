create or replace function core.announce_orders(
  order_ids bigint[], account_ids bigint[], held bigint[], to_send int, pool_id text
)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  locked bigint[];
  leased uuid[];
  are_queued boolean;
begin
  if cardinality(order_ids) = 0 then
    return '{}';
  end if;
  locked := core.lock_slots(account_ids);
  -- Most often an account has free slots and a quick receiver: then the events are leased as they are written.
  with slots as (
    select s.account_id, s.slots - (select count(*) from core.taken_slots t where t.account_id = s.account_id) as free
    from supply.delivery_slots s
    where s.account_id = any (locked) and s.slots >= 8
      and exists (select from supply.webhook_secrets w where w.account_id = s.account_id)
      and (select true from supply.events e where e.account_id = s.account_id and e.state = 'queued' limit 1) is null
  ), made as (
    select e.*, e.order_id = any (held) as is_held,
      coalesce(row_number() over (partition by e.account_id, e.order_id = any (held)) <= s.free, false) as may_send
    from core.order_events(order_ids) e left join slots s on s.account_id = e.account_id
  ), chosen as (
    select m.*, m.may_send and not m.is_held and row_number() over (partition by m.may_send, m.is_held) <= to_send as is_leased
    from made m
  ), written as (
    insert into supply.events (id, account_id, order_id, order_code, event_type, callback_url, body, state, attempts,
      next_attempt_at, lease_token, lease_expires_at, leased_by)
    select c.event_id, c.account_id, c.order_id, c.order_code, c.event_type, c.callback_url, c.body,
      case when c.is_held then 'held' when c.is_leased then 'sending' else 'queued' end, c.is_leased::int,
      case when not c.is_held and not c.is_leased then now() end,
      case when c.is_leased then core.time_ordered_uuid() end,
      case when c.is_leased then now() + interval '30 s' end, case when c.is_leased then pool_id end
    from chosen c
    returning id, state, lease_token
  ), attempts as (
    insert into supply.delivery_attempts (event_id, round, attempt, lease_token, started_at)
    select w.id, 1, 1, w.lease_token, clock_timestamp() from written w where w.state = 'sending'
  )
  select coalesce(array_agg(w.id) filter (where w.state = 'sending'), '{}'), coalesce(bool_or(w.state = 'queued'), false)
  into leased, are_queued from written w;
  if are_queued then
    leased := leased || core.fill_slots(locked, to_send => to_send - cardinality(leased), pool_id => pool_id);
  end if;
  return leased;
end
$$;
comment on function core.announce_orders is
  'Writes the events of orders that ended (core.order_events); those of the orders in held are held. Leases up to to_send first
attempts to the pool and returns their events, and gives other free slots to the oldest queued events. The caller holds the locks of
the orders; account_ids are their accounts. Specification 6.';
