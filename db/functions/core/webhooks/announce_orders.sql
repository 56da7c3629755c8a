create or replace function core.announce_orders(order_ids bigint[], account_ids bigint[], held bigint[], to_send int)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  locked bigint[];
  announced record;
begin
  if cardinality(order_ids) = 0 then
    return '{}';
  end if;
  locked := core.lock_slots(account_ids);
  -- What is queued comes first. Looked up once for an account, not for each of its orders.
  with free as materialized (
    select s.account_id, s.free from core.free_slots s
    where s.account_id = any (locked) and s.is_quick and s.is_signable
      and (select true from supply.events q where q.account_id = s.account_id and q.state = 'queued' limit 1) is null
  ), announced as (
    insert into supply.events
      (id, account_id, order_id, order_code, event_type, callback_url, body, state, attempts, next_attempt_at, claim_id, claim_expires_at)
    select e.event_id, e.account_id, e.order_id, e.order_code, e.event_type, e.callback_url, e.body, e.state,
      case when e.state = 'sending' then 1 else 0 end, case when e.state = 'queued' then now() end,
      case when e.state = 'sending' then core.time_ordered_uuid() end,
      case when e.state = 'sending' then now() + interval '30 s' end
    from (
      select e.*, case
          when e.order_id = any (held) then 'held'
          when e.has_slot and row_number() over (partition by e.has_slot) <= to_send then 'sending'
          else 'queued'
        end as state
      from (
        select e.*, row_number() over (partition by e.account_id) <= coalesce(f.free, 0) as has_slot
        from core.order_events(order_ids) e
        left join free f on f.account_id = e.account_id
      ) as e
    ) as e
    returning id, state, attempts, claim_id
  ), claimed as (
    insert into supply.delivery_attempts (event_id, ladder, attempt, claim_id, started_at)
    select a.id, 1, a.attempts, a.claim_id, clock_timestamp() from announced a where a.state = 'sending'
  )
  select coalesce(array_agg(a.id) filter (where a.state = 'sending'), '{}') as claimed, bool_or(a.state = 'queued') as is_queued
  into announced from announced a;
  if announced.is_queued then
    return announced.claimed || core.fill_slots(locked, to_send => to_send - cardinality(announced.claimed));
  end if;
  return announced.claimed;
end
$$;
comment on function core.announce_orders is
  'Writes the events of orders that ended (core.order_events), and gives them the free slots of their accounts; those of the orders in held are held. Of as many as '
  'to_send says, the attempts are claimed and returned, for the caller to make (core.leased_attempts). Where nothing else of the account is queued and its receiver is quick, an event is '
  'written as it is sent; the others by core.fill_slots. account_ids are the accounts of the orders; the caller holds the locks of the orders. Specification 6.';
