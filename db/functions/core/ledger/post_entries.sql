create or replace function core.post_entries(entries jsonb)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  with entry as (
    select e.*, a.id, a.currency, a.last_seq + row_number() over by_account as seq, a.balance + sum(e.amount) over by_account as balance
    from jsonb_to_recordset(entries) as e (
      "accountId" bigint, place bigint, type text, amount numeric, "orderId" bigint, "itemId" uuid, "paymentCode" text, reference text, note text)
    cross join lateral (select a.* from supply.accounts a where a.id = e."accountId" offset 0) as a
    window by_account as (partition by a.id order by e.place)
  ), posted as (
    insert into supply.ledger
      (account_id, seq, type, amount, balance_after, currency, order_id, item_id, payment_code, reference, plain_reference, note)
    select e.id, e.seq, e.type, e.amount, e.balance, e.currency, e."orderId", e."itemId", e."paymentCode", e.reference, core.plain_reference(e.reference), e.note
    from entry e order by e.id, e.seq
  )
  update supply.accounts a set balance = e.balance, last_seq = e.seq
  from (select distinct on (e.id) e.id, e.seq, e.balance from entry e order by e.id, e.seq desc) as e
  where a.id = e.id;
end
$$;
comment on function core.post_entries is
  'Changes balances by signed amounts (account currency) and adds the ledger rows that say why, in the order of their places: '
  '[{accountId, place, type, amount, orderId, itemId, paymentCode, reference, note}]. The ledger is written here and nowhere else. Raises '
  'check_violation if a balance would fall below zero. The caller holds the locks of the accounts.';
