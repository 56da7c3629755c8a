create or replace function core.fill_slots(
  account_ids bigint[], to_lease uuid[] default '{}', to_send int default 0, pool_id text default null
)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  chosen record;
begin
  with due as materialized (
    select q.*, s.account_id, taken.bytes as bytes_taken,
      q.is_fresh and q.bytes <= (select l.large_bytes from core.delivery_limits l)
        and exists (select from supply.webhook_secrets w where w.account_id = s.account_id) as may_send
    from supply.delivery_slots s
    cross join lateral (
      select count(*) as slots, coalesce(sum(t.bytes), 0) as bytes
      from core.taken_slots t where t.account_id = s.account_id) as taken
    cross join lateral (
      select o.*
      from (
        select e.id, e.next_attempt_at, octet_length(e.body) as bytes, e.attempts = 0 and e.round = 1 as is_fresh
        from supply.events e
        where e.account_id = s.account_id and e.state = 'queued' and s.slow_hosts = '{}'
        order by e.next_attempt_at, e.id
        limit greatest(0, s.slots - taken.slots)
        -- A transaction that has locked an event calls this function, too.
        for no key update skip locked
      ) as o
      union all
      select h.* from core.queued_by_host(s, (s.slots - taken.slots)::int) h where s.slow_hosts <> '{}'
    ) as q
    where s.account_id = any (account_ids)
  ), oldest as (
    -- Large bodies hold up a worker, and what waits needs no memory: an account has few of them under way.
    select f.* from (
      select d.*, d.bytes_taken + coalesce(sum(d.bytes) over (
        partition by d.account_id order by d.next_attempt_at, d.id
        rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from due d) as f
    where f.bytes_before < (select l.bytes_per_account from core.delivery_limits l)
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
  'Gives free slots of accounts to their oldest queued events, as far as core.delivery_limits allows, each with a job.
Instead, it leases those of to_lease and at most to_send first attempts, and returns them. The caller has locked the
slots in an earlier statement, so that this one sees what the last holder of the lock did.';
