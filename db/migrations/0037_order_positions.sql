set local role supply_owner;

-- Beside the orders, so that placing one writes nothing here, and so that orders of before need not be written anew.
-- There are no foreign keys, which would wait for locks: neither orders nor accounts are deleted. The audit counts.
create table supply.order_positions (
  account_id bigint not null,
  position bigint not null check (position >= 1),
  seq bigint not null,
  order_id bigint not null,
  created_at timestamptz not null,
  primary key (account_id, position)
);
create unique index order_positions_time on supply.order_positions (account_id, created_at, order_id);
comment on table supply.order_positions is
  'Of every thousandth order of an account, how many it has up to that one: totals and pages far down count from there. Derived from the orders, '
  'some minutes behind them; it may be emptied, and fills again.';
comment on column supply.order_positions.account_id is 'The account.';
comment on column supply.order_positions.position is 'Counts the account''s orders from 1, from the oldest on, by time and id.';
comment on column supply.order_positions.seq is 'The ledger entry that charged the order.';
comment on column supply.order_positions.order_id is 'The order.';
comment on column supply.order_positions.created_at is 'When it was placed.';

reset role;
