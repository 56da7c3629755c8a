create or replace function core.fill_slots(
  account_ids bigint[], to_lease uuid[] default '{}', to_send int default 0, pool_id text default null
)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  chosen record;
begin
  with oldest as materialized (
    select q.id, q.is_fresh,
      q.is_fresh and exists (select from supply.webhook_secrets w where w.account_id = s.account_id) as may_send
    from supply.delivery_slots s
    cross join lateral (
      -- A receiver with fewer slots than an account begins with failed recently, and may take long.
      select e.id, e.attempts = 0 and e.round = 1 and s.slots >= 8 as is_fresh from supply.events e
      where e.account_id = s.account_id and e.state = 'queued'
      order by e.next_attempt_at, e.id
      limit greatest(0, s.slots - (select count(*) from core.taken_slots t where t.account_id = s.account_id))
      -- A transaction that has locked an event calls this function, too.
      for no key update skip locked
    ) as q
    where s.account_id = any (account_ids)
  ), marked as (
    select o.id, o.is_fresh,
      o.id = any (to_lease) or o.may_send and row_number() over (partition by o.may_send) <= to_send as is_leased
    from oldest o
  )
  select coalesce(array_agg(m.id) filter (where m.is_leased), '{}') as leased,
    coalesce(array_agg(m.id) filter (where m.is_fresh and not m.is_leased), '{}') as fresh,
    coalesce(array_agg(m.id) filter (where not m.is_fresh and not m.is_leased), '{}') as waiting
  into chosen from marked m;
  if cardinality(chosen.leased) > 0 then
    perform core.lease_attempts(chosen.leased, pool_id);
  end if;
  if cardinality(chosen.fresh || chosen.waiting) > 0 then
    update supply.events e set state = 'ready', lease_expires_at = now() + interval '10 s'
    where e.id = any (chosen.fresh || chosen.waiting);
    perform core.enqueue('deliver_webhook', chosen.fresh, key => 'deliver_webhook');
    -- Retries, and events of slow receivers, may take long. They have workers of their own.
    perform core.enqueue('deliver_waiting', chosen.waiting, key => 'deliver_webhook');
  end if;
  return chosen.leased;
end
$$;
comment on function core.fill_slots is
  'Gives free slots of accounts to their oldest queued events, each with a job. Instead, it leases the events of
to_lease and at most to_send first attempts, and returns them. The caller has locked the slots in an earlier
statement, so that this one sees what the last holder of the lock did.';
