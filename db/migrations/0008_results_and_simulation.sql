set local role supply_owner;

-- Without a foreign key to the order, which would cost a look-up for each order that ends. The audit compares the two.
create table supply.order_results (
  account_id bigint not null,
  seq bigint not null check (seq >= 1),
  order_id bigint not null unique,
  primary key (account_id, seq)
);
comment on table supply.order_results is
  'The final orders of each account, in the sequence in which it reads them. Rows are only ever added.';
comment on column supply.order_results.account_id is 'The account.';
comment on column supply.order_results.seq is
  'Counts the account''s final orders from 1, in the order in which they were numbered; without a gap, but after a '
  'restore.';
comment on column supply.order_results.order_id is 'The order; it has one number.';
create trigger append_only before update or delete on supply.order_results
  for each row execute function supply.refuse_change();
create trigger append_only_truncate before truncate on supply.order_results
  for each statement execute function supply.refuse_change();

create table supply.result_marks (
  account_id bigint primary key references supply.accounts,
  last_seq bigint not null default 0 check (last_seq >= 0),
  restarts bigint[] not null default '{}'
) with (fillfactor = 50);
comment on table supply.result_marks is
  'The last number of the results of each account. The row stays locked until the transaction that gives numbers '
  'ends.';
comment on column supply.result_marks.account_id is 'The account.';
comment on column supply.result_marks.last_seq is 'The last number that was given or skipped.';
comment on column supply.result_marks.restarts is 'The numbers with which the sequence went on after each restore.';

create table supply.unnumbered_results (
  order_id bigint primary key,
  account_id bigint not null,
  completed_at timestamptz not null
);
create index unnumbered_results_turn on supply.unnumbered_results (account_id, completed_at, order_id);
comment on table supply.unnumbered_results is
  'Final orders without a number, because another transaction held the mark of their account.';
comment on column supply.unnumbered_results.order_id is 'The order.';
comment on column supply.unnumbered_results.account_id is 'Its account.';
comment on column supply.unnumbered_results.completed_at is 'When the order became final.';

create type supply.simulated_part as (seconds int, status text, reason text, item json);
comment on type supply.simulated_part is
  'What partners read of an item of a simulated order: while it is open, and of what is delivered or fails at its end. '
  'seconds: from the order to the end; null: it never ends. reason: the Russian text for buyers.';

create table supply.simulated_orders (
  id uuid primary key default gen_random_uuid(),
  code text collate "C" not null unique check (code ~ '^sim_[0-9a-f]{32}$'),
  account_id bigint not null references supply.accounts,
  idempotency_key text collate "C" not null check (length(idempotency_key) between 1 and 255),
  external_order_id text collate "C" not null check (length(external_order_id) between 1 and 128),
  callback_url text,
  request_items jsonb not null,
  status text not null default 'processing' check (status in ('processing', 'completed', 'failed')),
  outcome text check (outcome in ('full', 'partial', 'none')),
  total_amount numeric(26,2) not null,
  refunded_amount numeric(26,2) not null default 0,
  currency text not null,
  reason text,
  parts supply.simulated_part[] not null,
  due_at timestamptz,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  unique (account_id, idempotency_key),
  check ((status = 'processing') = (completed_at is null)),
  check ((outcome is null) = (completed_at is null))
) with (fillfactor = 80);
create index simulated_orders_of_account on supply.simulated_orders (account_id, created_at);
create index simulated_orders_open on supply.simulated_orders (account_id) where due_at is not null;
create index simulated_orders_latest on supply.simulated_orders (created_at);
comment on table supply.simulated_orders is
  'Simulated orders: they spend nothing, reach no supplier, and are deleted after a week.';
comment on column supply.simulated_orders.id is 'The id in its job.';
comment on column supply.simulated_orders.code is 'The orderCode; begins with sim_.';
comment on column supply.simulated_orders.account_id is 'The account, in mode test.';
comment on column supply.simulated_orders.idempotency_key is
  'The idempotency header, else external_order_id; unique per account while the order is kept.';
comment on column supply.simulated_orders.external_order_id is 'The partner''s own reference.';
comment on column supply.simulated_orders.callback_url is 'Where the event is sent; null: the order has no event.';
comment on column supply.simulated_orders.request_items is
  'The requested items, in the form in which repeats are compared.';
comment on column supply.simulated_orders.status is 'processing, completed, failed.';
comment on column supply.simulated_orders.outcome is
  'Of a final order: full, partial or none would have been delivered.';
comment on column supply.simulated_orders.total_amount is
  'What would have been charged; 50 items of the largest amount at the highest price fit.';
comment on column supply.simulated_orders.refunded_amount is 'What would have been refunded.';
comment on column supply.simulated_orders.currency is 'ISO 4217 code of the amounts.';
comment on column supply.simulated_orders.reason is
  'Of a failed order: the Russian text for buyers; null: there is none.';
comment on column supply.simulated_orders.parts is 'Its items, each while it is open and after its end.';
comment on column supply.simulated_orders.due_at is
  'When the last item ends; null: the order is final, or an item never ends.';
comment on column supply.simulated_orders.created_at is 'When the order was placed.';
comment on column supply.simulated_orders.completed_at is 'When the order became final.';

reset role;
