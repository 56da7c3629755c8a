create or replace function core.post_ledger(
  account_id bigint, type text, amount numeric, order_id bigint default null, item_id uuid default null,
  payment_code text default null, reference text default null, note text default null
)
returns numeric
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  account supply.accounts;
begin
  update supply.accounts a
  set balance = a.balance + post_ledger.amount, last_seq = a.last_seq + 1
  where a.id = post_ledger.account_id
  returning a.* into strict account;
  insert into supply.ledger
    (account_id, seq, type, amount, balance_after, currency, order_id, item_id, payment_code, reference, note)
  values
    (account.id, account.last_seq, post_ledger.type, post_ledger.amount, account.balance, account.currency,
     post_ledger.order_id, post_ledger.item_id, post_ledger.payment_code, post_ledger.reference, post_ledger.note);
  return account.balance;
end
$$;
comment on function core.post_ledger is
  'Changes a balance by the signed amount (account currency) and adds the ledger row that says why; returns the new balance. '
  'Raises check_violation if the balance would fall below zero, no_data_found for an unknown account. Locks the account.';
