create or replace function core.post_entries(entries supply.ledger_entry[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  update supply.accounts a set balance = a.balance + e.amount, last_seq = a.last_seq + e.entries
  from (
    select n.account_id, sum(n.amount) as amount, count(*) as entries
    from unnest(post_entries.entries) as n group by n.account_id
  ) as e
  where a.id = e.account_id;
  insert into supply.ledger
    (account_id, seq, type, amount, balance_after, currency, order_id, item_id, reference, plain_reference, note,
     adjusted_order_id)
  -- guard: the entries of a batch follow one another
  select a.id, a.last_seq - count(*) over later, e.type, e.amount, a.balance - coalesce(sum(e.amount) over later, 0),
    a.currency, e.order_id, e.item_id, e.reference, core.plain_reference(e.reference), e.note,
    e.adjusted_order_id
  from unnest(entries) with ordinality
    as e (account_id, type, amount, order_id, item_id, reference, note, adjusted_order_id, place)
  cross join lateral (select a.* from supply.accounts a where a.id = e.account_id offset 0) as a
  window later as (partition by a.id order by e.place rows between 1 following and unbounded following);
end
$$;
comment on function core.post_entries is
  'Changes balances by signed amounts (account currency) and adds the ledger rows that say why, in the order of the
entries. The ledger is written here and nowhere else. Raises check_violation if a balance would fall below zero. The
caller holds the locks of the accounts.';
