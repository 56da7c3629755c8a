create or replace function core.queued_by_host(account supply.delivery_slots, free int)
returns table (id uuid, next_attempt_at timestamptz, bytes int, is_fresh boolean)
language sql set search_path = pg_catalog, pg_temp
as $$
  with recursive hosts (host) as (
    (select e.host from supply.events e
      where e.account_id = account.account_id and e.state = 'queued' and e.attempts >= 0 order by e.host limit 1)
    union all
    select (
      select e.host from supply.events e
      where e.account_id = account.account_id and e.state = 'queued' and e.attempts >= 0 and e.host > h.host
      order by e.host limit 1)
    from hosts h where h.host is not null
  )
  select q.*
  from hosts h
  cross join lateral (select coalesce((account.slow_hosts ->> h.host)::int, account.slots) as slots) as l
  cross join lateral (
    select e.id, e.next_attempt_at, octet_length(e.body),
      -- A receiver with fewer slots than an account begins with may take long.
      e.attempts = 0 and e.round = 1 and l.slots >= 8
    from supply.events e
    where e.account_id = account.account_id and e.state = 'queued' and e.attempts >= 0 and e.host = h.host
    order by e.next_attempt_at, e.id
    limit greatest(0, l.slots - (
      select count(*) from core.taken_slots t where t.account_id = account.account_id and t.host = h.host))
    for no key update skip locked
  ) as q (id, next_attempt_at, bytes, is_fresh)
  order by q.next_attempt_at, q.id
  limit greatest(0, free)
$$;
comment on function core.queued_by_host is
  'Returns the oldest queued events of an account that has slow hosts, at most free of them, and of each host no more
than it has slots left. Events that another transaction has locked are left out.';
