create or replace view bi.accounts as
select a.id as account_id, a.name, a.kind, a.mode, a.active, a.currency, a.balance, a.created_at
from supply.accounts a;
comment on view bi.accounts is 'The accounts and their present balances.';
comment on column bi.accounts.account_id is 'The account number.';
