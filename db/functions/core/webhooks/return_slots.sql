create or replace function core.return_slots(
  results supply.delivery_result[], to_send int default 0, pool_id text default null
)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  -- Most often no number changes, and no event is queued: then nothing is locked.
  locked constant bigint[] := array(
    select s.account_id from supply.delivery_slots s
    where s.account_id = any (array(select r.account_id from unnest(results) as r))
      and (
        exists (
          select from unnest(results) as r
          where r.account_id = s.account_id and (r.slot_change > 0 and s.slots < 64 or r.slot_change < 0 and s.slots > 2))
        -- An `exists` may be planned as one list of all that are queued.
        or (select true from supply.events e where e.account_id = s.account_id and e.state = 'queued' limit 1))
    order by s.account_id for no key update skip locked);
begin
  if cardinality(locked) = 0 then
    return '{}';
  end if;
  update supply.delivery_slots s
  set slots = greatest(2, least(64, s.slots + n.quick) / power(2, least(n.failed, 6))::int)
  from (
    select r.account_id, count(*) filter (where r.slot_change > 0)::int as quick,
      count(*) filter (where r.slot_change < 0)::int as failed
    from unnest(results) as r
    where r.account_id = any (locked) and r.slot_change <> 0
    group by r.account_id
  ) as n
  where s.account_id = n.account_id;
  return core.fill_slots(locked, to_send => to_send, pool_id => pool_id);
end
$$;
comment on function core.return_slots is
  'Changes the number of slots of accounts by the results of their attempts (2 to 64), and gives free slots to queued events, as
core.fill_slots, whose arguments and result it has. An account whose slots are locked is left out: the holder of the lock fills
them, or work.fill_slots within a second.';
