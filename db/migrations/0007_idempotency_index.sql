set local role supply_owner;

-- While the table is empty, all indexes that begin with the account look alike to the planner, which then takes the
-- youngest that serves and keeps that plan: these two have to be it, for what they find does not grow with the account.
create unique index orders_idempotency on supply.orders (account_id, idempotency_key);
alter table supply.orders drop constraint orders_account_id_idempotency_key_key;
drop index supply.orders_open;
create index orders_open on supply.orders (account_id) where completed_at is null;

reset role;
