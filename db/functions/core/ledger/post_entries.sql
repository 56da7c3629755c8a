create or replace function core.post_entries(entries supply.ledger_entry[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  line supply.ledger;
  before supply.ledger;
  lines supply.ledger[] := '{}';
begin
  for line in
    with changed as (
      update supply.accounts a set balance = a.balance + e.amount, last_seq = a.last_seq + cardinality(e.entries)
      from (
        select n.account_id, sum(n.amount) as amount,
          array_agg(post_entries.entries[n.place] order by n.place) as entries
        from unnest(post_entries.entries) with ordinality
          as n (account_id, type, amount, order_id, item_id, reference, note, adjusted_order_id, place)
        group by n.account_id
      ) as e
      where a.id = e.account_id
      returning a.id, a.currency, a.balance - e.amount as balance, a.last_seq - cardinality(e.entries) as seq, (
        select l.hash from supply.ledger l
        where l.account_id = a.id and l.seq = a.last_seq - cardinality(e.entries)) as hash, e.entries
    )
    select c.id, c.seq, e.type, e.amount, c.balance, c.currency, e.order_id, e.item_id, e.reference, e.note,
      session_user, clock_timestamp(), core.plain_reference(e.reference), e.adjusted_order_id, c.hash
    from changed c cross join lateral unnest(c.entries) with ordinality as e
    order by c.id, e.ordinality
  loop
    if line.account_id = before.account_id then
      -- guard: the entries of a batch follow one another
      line.seq := before.seq;
      -- guard: the balances of a batch follow one another
      line.balance_after := before.balance_after;
      -- guard: the hashes of a batch follow one another
      line.hash := before.hash;
    end if;
    line.seq := line.seq + 1;
    line.balance_after := line.balance_after + line.amount;
    line.hash := core.entry_hash(line.hash, line);
    lines := lines || line;
    before := line;
  end loop;
  insert into supply.ledger select l.* from unnest(lines) as l;
end
$$;
comment on function core.post_entries is
  'Changes balances by signed amounts (account currency) and adds the ledger rows that say why, in the order of the
entries, each with its hash. The ledger is written here and nowhere else. Raises check_violation if a balance would
fall below zero. The caller holds the locks of the accounts.';
