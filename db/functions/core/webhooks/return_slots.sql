create or replace function core.return_slots(account_ids bigint[], changes int[], to_send int default 0, pool_id text default null)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  locked bigint[];
begin
  -- Most often no number changes, and no event is queued: then nothing is locked.
  locked := array(
    select s.account_id from supply.delivery_slots s
    where s.account_id = any (account_ids)
      and (
        exists (
          select from unnest(account_ids, changes) as n (account_id, change)
          where n.account_id = s.account_id and (n.change > 0 and s.slots < 64 or n.change < 0 and s.slots > 2))
        -- An `exists` may be planned as one list of all that are queued.
        or (select true from supply.events e where e.account_id = s.account_id and e.state = 'queued' limit 1))
    order by s.account_id for no key update skip locked);
  if cardinality(locked) = 0 then
    return '{}';
  end if;
  update supply.delivery_slots s
  set slots = greatest(2, least(64, s.slots + n.quick) / power(2, least(n.failed, 6))::int)
  from (
    select c.account_id, count(*) filter (where c.change > 0)::int as quick, count(*) filter (where c.change < 0)::int as failed
    from unnest(account_ids, changes) as c (account_id, change)
    where c.account_id = any (locked) and c.change <> 0
    group by c.account_id
  ) as n
  where s.account_id = n.account_id;
  return core.fill_slots(locked, to_send => to_send, pool_id => pool_id);
end
$$;
comment on function core.return_slots is
  'Gives the slots of attempts that ended to queued events. Each attempt names its account and how it changes the number of '
  'slots: 1 (answered quickly) adds one, up to 64; -1 (a timeout or no connection) halves it, down to 2. An account whose slots are locked is left out: '
  'the holder of the lock fills them, or work.fill_slots within a second. Returns the events whose attempts the caller makes: core.fill_slots, to_send.';
