create or replace function core.fill_slots(
  account_ids bigint[], to_lease uuid[] default '{}', to_send int default 0, pool_id text default null
)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  leased uuid[];
  fresh uuid[];
  waiting uuid[];
begin
  if cardinality(account_ids) = 0 then
    return '{}';
  end if;
  with oldest as materialized (
    select q.id, q.is_fresh,
      q.is_fresh and exists (select from supply.webhook_secrets w where w.account_id = s.account_id) as may_send
    from supply.delivery_slots s
    cross join lateral (
      -- A receiver with fewer slots than an account begins with failed recently, and may take long.
      select e.id, e.attempts = 0 and e.round = 1 and s.slots >= 8 as is_fresh from supply.events e
      where e.account_id = s.account_id and e.state = 'queued'
      order by e.next_attempt_at, e.id
      -- guard: an account has no more deliveries under way than slots
      limit greatest(0, s.slots - (select count(*) from core.taken_slots t where t.account_id = s.account_id))
      -- A transaction that has locked an event calls this function, too.
      for no key update skip locked
    ) as q
    where s.account_id = any (account_ids)
  ), chosen as (
    select o.id, o.is_fresh,
      o.id = any (to_lease) or o.may_send and row_number() over (partition by o.may_send) <= to_send as is_leased
    from oldest o
  )
  select coalesce(array_agg(c.id) filter (where c.is_leased), '{}'),
    coalesce(array_agg(c.id) filter (where c.is_fresh and not c.is_leased), '{}'),
    coalesce(array_agg(c.id) filter (where not c.is_fresh and not c.is_leased), '{}')
  into leased, fresh, waiting from chosen c;
  if cardinality(leased) > 0 then
    perform core.lease_attempts(leased, pool_id);
  end if;
  if cardinality(fresh || waiting) > 0 then
    update supply.events e set state = 'ready', lease_expires_at = now() + interval '10 s'
    where e.id = any (fresh || waiting);
    perform core.enqueue('deliver_webhook', fresh, key => 'deliver_webhook');
    -- Retries, and events of slow receivers, may take long. They have workers of their own.
    perform core.enqueue('deliver_waiting', waiting, key => 'deliver_webhook');
  end if;
  return leased;
end
$$;
comment on function core.fill_slots is
  'Gives free slots of accounts to the oldest queued events, each with a job. Instead of a job, events of to_lease and to_send first
attempts get a lease (core.lease_attempts), and are returned. The caller has locked the slots (core.lock_slots) in an earlier
statement, so that this one sees what their last holder did.';
