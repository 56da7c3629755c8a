set local role supply_owner;

create type supply.risk_word as enum (
  'below_cost', 'large_change', 'currency', 'delivery_type', 'large_amount', 'known_reference', 'closed_account'
);
comment on type supply.risk_word is 'What an operator confirms by allow before a risky change is made.';

create type supply.risk as (word supply.risk_word, figures text, product_id int);
comment on type supply.risk is
  'A risk of a change, with its figures in words; product_id where it is a change of the catalog.';

create type supply.loss as (
  product_id int, name text, list_id int, list text, min_quantity int, price numeric, currency text, supplier text,
  cost numeric
);
comment on type supply.loss is
  'A unit price below the cost of the offer that an order takes: of the product, or in a list from so many units on.';

create table supply.money_rules (
  currency text collate "C" primary key check (currency ~ '^[A-Z]{3}$'),
  amount_limit numeric(14,2) check (amount_limit >= 0),
  approval_above numeric(14,2) check (approval_above >= 0),
  approval_since timestamptz,
  check ((approval_above is null) = (approval_since is null))
);
comment on table supply.money_rules is 'The owner''s rules for what operators book, by currency.';
comment on column supply.money_rules.currency is 'ISO 4217 code of the accounts.';
comment on column supply.money_rules.amount_limit is
  'An amount above it has to be confirmed with allow => ''{large_amount}''; null: none.';
comment on column supply.money_rules.approval_above is
  'What one login books for one account within 24 hours up to this amount needs no second login; null: nothing does.';
comment on column supply.money_rules.approval_since is 'When that was set; what was booked before does not count.';

create table supply.proposals (
  id bigint generated always as identity primary key,
  what text not null check (what in ('deposit', 'adjust', 'correct_deposit', 'refund_item', 'onboard')),
  account_id bigint not null references supply.accounts,
  amount numeric(14,2) not null check (amount <> 0),
  currency text not null,
  reference text not null,
  plain_reference text collate "C" not null,
  note text,
  item_id uuid references supply.order_items,
  order_id bigint references supply.orders,
  allow text[] not null default '{}',
  proposed_by text not null default session_user,
  proposed_at timestamptz not null default clock_timestamp(),
  state text not null default 'open' check (state in ('open', 'approved', 'rejected', 'expired')),
  decided_by text,
  decided_at timestamptz,
  decision_note text,
  check ((what = 'refund_item') = (item_id is not null)),
  check (order_id is null or what = 'adjust'),
  check ((state in ('approved', 'rejected')) = (decided_by is not null and decided_at is not null)),
  check (state <> 'approved' or decided_by <> proposed_by)
);
create unique index proposals_open on supply.proposals (account_id, plain_reference) where state = 'open';
create index proposals_account on supply.proposals (account_id, proposed_at);
create index proposals_reference on supply.proposals (plain_reference) where state = 'open';
comment on table supply.proposals is
  'Bookings above the approval limit: each is booked once another login approves it.';
comment on column supply.proposals.id is 'A running number.';
comment on column supply.proposals.what is
  'The function that proposed it: deposit, adjust, correct_deposit, refund_item, onboard.';
comment on column supply.proposals.account_id is 'The account.';
comment on column supply.proposals.amount is 'The signed amount.';
comment on column supply.proposals.currency is 'The account''s currency.';
comment on column supply.proposals.reference is 'The operator''s reference, as it was typed.';
comment on column supply.proposals.plain_reference is 'The reference as it is compared.';
comment on column supply.proposals.note is 'The operator''s note.';
comment on column supply.proposals.item_id is 'The item that is refunded; null: none.';
comment on column supply.proposals.order_id is 'The order that an adjustment is about; null: none, or that of item_id.';
comment on column supply.proposals.allow is 'The risks that the proposing operator confirmed.';
comment on column supply.proposals.proposed_by is 'The database login that proposed it; it cannot approve it.';
comment on column supply.proposals.proposed_at is 'When.';
comment on column supply.proposals.state is
  'open, approved (booked), rejected, or expired: not decided within 7 days.';
comment on column supply.proposals.decided_by is 'The database login that approved or rejected it.';
comment on column supply.proposals.decided_at is 'When.';
comment on column supply.proposals.decision_note is 'Why it was rejected.';

reset role;
