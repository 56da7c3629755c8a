create or replace function core.change_slots(results supply.delivery_result[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  -- Usually all answered quickly, and no host is slow.
  if not exists (
    select from unnest(results) as r join supply.delivery_slots s on s.account_id = r.account_id
    where r.slot_change < 0 or s.slow_hosts <> '{}')
  then
    update supply.delivery_slots s set slots = least(64, s.slots + r.quick)
    from (select r.account_id, count(*)::int as quick from unnest(results) as r group by r.account_id) as r
    where s.account_id = r.account_id and s.slots < 64;
    return;
  end if;

  with answers as (
    select r.account_id, e.host, count(*) filter (where r.slot_change > 0)::int as quick,
      least(count(*) filter (where r.slot_change < 0), 6)::int as failed
    from unnest(results) as r
    cross join lateral (select e.host from supply.events e where e.id = r.event_id offset 0) as e
    group by r.account_id, e.host
  ), hosts as (
    select a.*, s.slots, (s.slow_hosts ->> a.host)::int as before,
      greatest(2, least(64, coalesce((s.slow_hosts ->> a.host)::int, s.slots) + a.quick) / power(2, a.failed)::int)
        as after
    from answers a join supply.delivery_slots s on s.account_id = a.account_id
  ), accounts as (
    select h.account_id, array_agg(h.host) as answered,
      coalesce(sum(h.quick) filter (where h.before is null and h.failed = 0), 0) as quick,
      -- Where a slow host has no slots to lose, the account loses them: there may be many such hosts.
      coalesce(sum(h.failed) filter (where h.before = 2), 0) as failed,
      coalesce(jsonb_object_agg(h.host, h.after)
        filter (where h.failed > 0 or h.before is not null and h.after < h.slots), '{}') as slow
    from hosts h group by h.account_id
  )
  update supply.delivery_slots s set
    slots = greatest(8, least(64, s.slots + a.quick) - a.failed),
    -- A partner may use another host for each order.
    slow_hosts = case when (select count(*) from jsonb_object_keys(s.slow_hosts)) < 64
      then s.slow_hosts - a.answered else '{}' end || a.slow
  from accounts a where s.account_id = a.account_id;
end
$$;
comment on function core.change_slots is
  'Changes the slots of accounts (8 to 64) and of their slow hosts (2 to 64) by results of attempts: one more for each
quick answer; of the host half as many for each time-out or failed connection, and one less of the account once the host
has only two. A slow host that has as many as its account is slow no more. The caller has locked the slots.';
