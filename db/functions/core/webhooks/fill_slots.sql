create or replace function core.fill_slots(account_ids bigint[], to_lease uuid[] default '{}', to_send int default 0, pool_id text default null)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  filled record;
begin
  if cardinality(account_ids) = 0 then
    return '{}';
  end if;
  with oldest as materialized (
    select q.id, q.is_fresh, s.is_signable
    from core.free_slots s
    cross join lateral (
      select e.id, e.attempts = 0 and e.round = 1 and s.is_quick as is_fresh from supply.events e
      where e.account_id = s.account_id and e.state = 'queued'
      order by e.next_attempt_at, e.id
      limit s.free
      -- Who holds the lock of an event calls this function, too.
      for no key update skip locked
    ) as q
    where s.account_id = any (account_ids)
  )
  select
    coalesce(array_agg(c.id) filter (where c.is_leased), '{}') as leased,
    coalesce(array_agg(c.id) filter (where c.is_fresh and not c.is_leased), '{}') as fresh,
    coalesce(array_agg(c.id) filter (where not c.is_fresh and not c.is_leased), '{}') as waiting
  into filled from (
    select o.id, o.is_fresh,
      o.id = any (to_lease)
        or o.is_fresh and o.is_signable and row_number() over (partition by o.is_fresh, o.is_signable) <= to_send as is_leased
    from oldest o
  ) as c;
  if cardinality(filled.fresh || filled.waiting) > 0 then
    update supply.events e set state = 'ready', lease_expires_at = now() + interval '10 s'
    where e.id = any (filled.fresh || filled.waiting);
  end if;
  if cardinality(filled.leased) > 0 then
    perform core.lease_attempts(filled.leased, pool_id);
  end if;
  perform core.enqueue('deliver_webhook', filled.fresh, key => 'deliver_webhook');
  -- Retries, and events of slow receivers, may take long. They have workers of their own.
  perform core.enqueue('deliver_waiting', filled.waiting, key => 'deliver_webhook');
  return filled.leased;
end
$$;
comment on function core.fill_slots is
  'Gives the free slots of accounts to the oldest of their queued events, and adds their jobs. Those of to_lease get no job, nor do as many first attempts '
  'to quick receivers as to_send says: their attempts are leased and returned, for the caller to make (core.leased_attempts). The caller has locked the slots by core.lock_slots in an earlier statement, so that this one sees what their last holder did.';
