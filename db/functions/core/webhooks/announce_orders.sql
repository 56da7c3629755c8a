create or replace function core.announce_orders(
  order_ids bigint[], account_ids bigint[], held bigint[], to_send int, pool_id text
)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  locked bigint[];
  quick bigint[] := '{}';
  leased uuid[];
  queued_of bigint[];
begin
  if cardinality(order_ids) = 0 then
    return '{}';
  end if;
  locked := core.lock_briefly('delivery_slots', account_ids);
  -- Usually an account has slots for all of its events. Then they are leased as they are written.
  if cardinality(order_ids) <= to_send then
    quick := array(
      select s.account_id from supply.delivery_slots s
      where s.account_id = any (locked) and s.slow_hosts = '{}'
        and s.slots >= (select count(*) from core.taken_slots t where t.account_id = s.account_id)
          + cardinality(array_positions(account_ids, s.account_id))
        and exists (select from supply.webhook_secrets w where w.account_id = s.account_id)
        and (select true from supply.events e where e.account_id = s.account_id and e.state = 'queued' limit 1)
          is null);
  end if;
  with written as (
    insert into supply.events (id, account_id, order_id, order_code, event_type, callback_url, body, state, attempts,
      next_attempt_at, lease_token, lease_expires_at, leased_by)
    select e.event_id, e.account_id, e.order_id, e.order_code, e.event_type, e.callback_url, e.body, s.state,
      (s.state = 'sending')::int, case when s.state = 'queued' then now() end,
      case when s.state = 'sending' then core.time_ordered_uuid() end,
      case when s.state = 'sending' then now() + interval '30 s' end, case when s.state = 'sending' then pool_id end
    from core.order_events(order_ids) e
    cross join lateral (
      select case
        when e.order_id = any (held) then 'held'
        -- The body of a large one needs room.
        when e.account_id = any (quick)
          and octet_length(e.body) <= (select l.large_bytes from core.delivery_limits l) then 'sending'
        else 'queued'
      end as state) as s
    returning id, account_id, state, lease_token
  ), attempts as (
    insert into supply.delivery_attempts (event_id, round, attempt, lease_token, started_at)
    select w.id, 1, 1, w.lease_token, clock_timestamp() from written w where w.state = 'sending'
  )
  select coalesce(array_agg(w.id) filter (where w.state = 'sending'), '{}'),
    array_agg(w.account_id) filter (where w.state = 'queued' and w.account_id = any (locked))
  into leased, queued_of from written w;
  if queued_of is not null then
    leased := leased || core.fill_slots(queued_of, to_send => to_send - cardinality(leased), pool_id => pool_id);
  end if;
  return leased;
end
$$;
comment on function core.announce_orders is
  'Writes the events of orders that ended; those of held orders are held. account_ids: of each order. Leases up to
to_send first attempts to the pool and returns their events; other free slots go to the oldest queued events. The
caller has locked the orders. Specification 6.';
