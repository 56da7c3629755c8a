create or replace function core.post_entries(entries supply.ledger_entry[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  entry record;
  line supply.ledger;
  lines supply.ledger[] := '{}';
begin
  for entry in
    with changed as (
      update supply.accounts a set balance = a.balance + e.amount, last_seq = a.last_seq + e.entries
      from (
        select n.account_id, sum(n.amount) as amount, count(*) as entries
        from unnest(post_entries.entries) as n group by n.account_id
      ) as e
      where a.id = e.account_id
      returning a.id, a.currency, a.balance - e.amount as balance, a.last_seq - e.entries as seq
    )
    select e.*, c.currency, c.balance, c.seq, (
      select l.hash from supply.ledger l where l.account_id = c.id and l.seq = c.seq) as hash
    from unnest(entries) with ordinality
      as e (account_id, type, amount, order_id, item_id, reference, note, adjusted_order_id, place)
    join changed c on c.id = e.account_id
    order by e.account_id, e.place
  loop
    if line.account_id is distinct from entry.account_id then
      line.account_id := entry.account_id;
      line.seq := entry.seq;
      line.balance_after := entry.balance;
      line.currency := entry.currency;
      line.hash := entry.hash;
    end if;
    -- guard: the entries of a batch follow one another
    line.seq := line.seq + 1;
    line.type := entry.type;
    line.amount := entry.amount;
    -- guard: the balances of a batch follow one another
    line.balance_after := line.balance_after + entry.amount;
    line.order_id := entry.order_id;
    line.item_id := entry.item_id;
    line.reference := entry.reference;
    line.note := entry.note;
    line.created_by := session_user;
    line.created_at := clock_timestamp();
    line.plain_reference := core.plain_reference(entry.reference);
    line.adjusted_order_id := entry.adjusted_order_id;
    -- guard: the hashes of a batch follow one another
    line.hash := core.entry_hash(line.hash, line);
    lines := lines || line;
  end loop;
  insert into supply.ledger select l.* from unnest(lines) as l;
end
$$;
comment on function core.post_entries is
  'Changes balances by signed amounts (account currency) and adds the ledger rows that say why, in the order of the
entries, each with its hash. The ledger is written here and nowhere else. Raises check_violation if a balance would
fall below zero. The caller holds the locks of the accounts.';
