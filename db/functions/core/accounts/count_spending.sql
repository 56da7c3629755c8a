create or replace function core.count_spending(decisions supply.order_decision[])
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  update supply.spending_limits l set window_start = s.starts_at, spent = s.spent + s.ordered
  from (
    select s.account_id, s.key_id, s.per, s.starts_at, s.spent, sum(d.total) as ordered
    from unnest(decisions) as d
    cross join lateral (
      select coalesce(k.first_key_id, k.id) as line_id
      from supply.api_keys k where k.id = (d.request).key_id offset 0) as key
    join core.spending s on s.account_id = (d.request).account_id and (s.key_id is null or s.key_id = key.line_id)
    group by s.account_id, s.key_id, s.per, s.starts_at, s.spent
  ) as s
  where l.account_id = s.account_id and l.key_id is not distinct from s.key_id and l.per = s.per
$$;
comment on function core.count_spending is
  'Counts orders that are to be written to the spending limits of their accounts and keys. The caller holds the locks of
the accounts.';
