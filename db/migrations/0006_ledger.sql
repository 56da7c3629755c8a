set local role supply_owner;

-- The trigger of append-only tables is part of the tables: it is here, not in db/functions.
create function supply.refuse_change() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'rows of % are never changed or deleted', tg_table_name using errcode = 'restrict_violation';
end
$$;
comment on function supply.refuse_change() is
  'Trigger function: raises restrict_violation. It keeps append-only tables append-only.';

create table supply.ledger (
  account_id bigint not null references supply.accounts,
  seq bigint not null check (seq >= 1),
  type text not null check (type in ('deposit', 'order_charge', 'order_refund', 'adjustment')),
  amount numeric(14,2) not null check (amount <> 0),
  balance_after numeric(14,2) not null check (balance_after >= 0),
  currency text collate "C" not null,
  order_id bigint references supply.orders,
  item_id uuid references supply.order_items,
  reference text,
  note text,
  created_by text not null default session_user,
  created_at timestamptz not null default clock_timestamp(),
  plain_reference text collate "C",
  adjusted_order_id bigint references supply.orders,
  hash bytea not null check (length(hash) = 32),
  primary key (account_id, seq),
  check ((type = 'order_charge') = (order_id is not null and item_id is null)),
  check (type <> 'order_charge' or amount < 0),
  check (type not in ('order_refund', 'deposit') or amount > 0),
  check ((type in ('deposit', 'adjustment')) = (reference is not null)),
  check ((reference is null) = (plain_reference is null)),
  constraint ledger_item_check check (case type
    when 'order_refund' then item_id is not null
    when 'adjustment' then item_id is null or adjusted_order_id is not null
    else item_id is null end),
  check (adjusted_order_id is null or type = 'adjustment')
);
create unique index ledger_one_refund on supply.ledger (item_id) where type = 'order_refund';
-- One index tells that an order is charged once and an item refunded once, and finds both by the order.
create unique index ledger_order on supply.ledger (order_id, item_id) nulls not distinct where order_id is not null;
create index ledger_time on supply.ledger (account_id, created_at, seq);
create index ledger_latest on supply.ledger (created_at);
create unique index ledger_plain_reference on supply.ledger (account_id, plain_reference)
  where plain_reference is not null;
create index ledger_deposit_references on supply.ledger (plain_reference) where type = 'deposit';
create index ledger_item_adjustments on supply.ledger (item_id) where type = 'adjustment' and item_id is not null;
create index ledger_adjusted_orders on supply.ledger (adjusted_order_id) where adjusted_order_id is not null;
-- What operators book: few entries among those of orders, and looked at whole by the audit.
create index ledger_by_hand on supply.ledger (created_at) where type in ('deposit', 'adjustment');
comment on table supply.ledger is 'Every change of every balance. Rows are only ever added.';
comment on column supply.ledger.account_id is 'The account.';
comment on column supply.ledger.seq is 'Counts the account''s rows from 1 without a gap.';
comment on column supply.ledger.type is 'deposit, order_charge, order_refund, adjustment.';
comment on column supply.ledger.amount is 'The signed change.';
comment on column supply.ledger.balance_after is 'The balance after it.';
comment on column supply.ledger.currency is 'ISO 4217 code.';
comment on column supply.ledger.order_id is 'The order charged or refunded.';
comment on column supply.ledger.item_id is 'The item refunded, by the service or (an adjustment) by an operator.';
comment on column supply.ledger.reference is
  'The operator''s reference of a deposit or an adjustment, as it was typed.';
comment on column supply.ledger.note is 'The operator''s note.';
comment on column supply.ledger.created_by is 'The database login that wrote it.';
comment on column supply.ledger.created_at is
  'When it was booked; written under the account''s lock, so it rises with seq.';
comment on column supply.ledger.plain_reference is
  'The reference in the form in which it is compared and unique per account, without case and blanks '
  'around it.';
comment on column supply.ledger.adjusted_order_id is
  'The order that an operator''s adjustment is about: ops.adjust names it, ops.refund_item its item; null: none.';
comment on column supply.ledger.hash is
  'The hash over this row and the one before it of that account: core.entry_hash.';
create trigger append_only before update or delete on supply.ledger
  for each row execute function supply.refuse_change();
create trigger append_only_truncate before truncate on supply.ledger
  for each statement execute function supply.refuse_change();

create type supply.ledger_entry as (
  account_id bigint, type text, amount numeric, order_id bigint, item_id uuid, reference text, note text,
  adjusted_order_id bigint
);
comment on type supply.ledger_entry is 'A row of supply.ledger to be posted, without what core.post_entries adds.';

reset role;
