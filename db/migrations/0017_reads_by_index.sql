set local role supply_owner;

-- Lists of an account, newest first, by all, by status and by reference: each way has one index that holds what the list
-- filters and counts by. Final orders stand in theirs from their end on, so that placing an order does not pay for it.
-- The order of creation matters: while the table is empty, indexes that begin with the account look alike to the planner,
-- which takes the youngest that serves: for what is open, that has to be its own.
drop index supply.orders_newest;
create index orders_newest on supply.orders (account_id, created_at desc, id desc);
create index orders_final on supply.orders (account_id, status, created_at desc, id desc) where completed_at is not null;
drop index supply.orders_open;
create index orders_open on supply.orders (account_id, status, created_at desc, id desc) include (total_amount) where completed_at is null;
-- The reference comes first: operators look for it without the account.
drop index supply.orders_external;
create index orders_external on supply.orders (external_order_id, account_id, created_at desc, id desc);

-- One index tells that an order is charged once and an item refunded once, and finds both by the order.
create unique index ledger_order on supply.ledger (order_id, item_id) nulls not distinct where order_id is not null;
drop index supply.ledger_one_charge;
-- Rows of one moment have an order, too: a period's first and last row are its first and last entry.
drop index supply.ledger_time;
create index ledger_time on supply.ledger (account_id, created_at, seq);

-- An item that was stuck once and is final does not have to be looked at.
drop index supply.order_items_unsettled;
create index order_items_unsettled on supply.order_items (stuck_at, held_at)
  where (stuck_at is not null or held_at is not null) and completed_at is null;

-- What operators ask for. Each order pays for these, an event four times over: so one serves the latest of all and, with
-- the second column read within the index, those of an account or a supplier.
create index orders_latest on supply.orders (created_at);
create index ledger_latest on supply.ledger (created_at);
create index events_latest on supply.events (created_at, account_id);
create index events_order on supply.events (order_code);
create index supplier_attempts_latest on supply.supplier_attempts (started_at, supplier);
create index delivery_attempts_latest on supply.delivery_attempts (started_at);

reset role;
