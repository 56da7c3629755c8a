set local role supply_owner;

-- An order's earlier request was looked for by account and key, and every index that begins with the account could serve
-- that: a plan made while the table was small or never analysed took one of them, and read all orders of the account.
-- No other index serves this expression.
create unique index orders_request on supply.orders (idempotency_key, (account_id + 0));
drop index supply.orders_idempotency;

reset role;
