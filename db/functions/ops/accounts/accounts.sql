create or replace view ops.accounts as
select a.id as account_id, a.name, a.kind, a.mode, a.active, a.currency, a.balance,
  coalesce(
    (
      select sum(o.total_amount) from supply.orders o
      where o.account_id = a.id and o.status in ('pending', 'processing')),
    0)::numeric(14,2) as in_orders,
  a.low_balance_threshold, a.balance <= a.low_balance_threshold as low_balance, a.created_at
from supply.accounts a;
comment on view ops.accounts is 'The accounts and their balances, in the account''s currency.';
comment on column ops.accounts.account_id is 'The account number.';
comment on column ops.accounts.in_orders is 'The total charged on orders that are not final yet.';
comment on column ops.accounts.low_balance is 'Whether the balance is at or below the threshold.';
