create or replace function work.account_gauges(max_accounts int)
returns table (
  account_id bigint, balance double precision, low_balance_threshold double precision, dead_letters int,
  webhooks_waiting int
)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select a.id, a.balance, a.low_balance_threshold, a.dead_letters,
    (
      -- A partner that was away for a day may have a million of these.
      select count(*)::int
      from (select from supply.events e where e.account_id = a.id and e.state = 'waiting' limit 1000) as waiting
    )
  from (
    select a.id, a.balance, a.low_balance_threshold, a.last_seq, coalesce(d.dead_letters, 0) as dead_letters
    from supply.accounts a
    left join (
      select e.account_id, count(*)::int as dead_letters from core.dead_letters e group by e.account_id
    ) as d on d.account_id = a.id
    where a.active
    -- First the accounts that an alert is about, then those with the most entries in the ledger.
    order by a.low_balance_threshold > 0 and a.balance <= a.low_balance_threshold desc,
      coalesce(d.dead_letters, 0) > 0 desc, a.last_seq desc, a.id
    limit max_accounts
  ) as a
$$;
comment on function work.account_gauges is
  'Returns metrics of at most max_accounts accounts: those low on money, then with dead letters, then the busiest.
Events that wait for another attempt are counted up to 1,000.';
