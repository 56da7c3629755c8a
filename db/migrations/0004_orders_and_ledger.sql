set local role supply_owner;

create table supply.orders (
  id bigint generated always as identity primary key,
  code text not null unique check (code ~ '^[A-Za-z0-9_-]{1,64}$'),
  account_id bigint not null references supply.accounts,
  idempotency_key text not null check (length(idempotency_key) between 1 and 255),
  external_order_id text not null check (length(external_order_id) between 1 and 128),
  callback_url text,
  request_items jsonb not null,
  status text not null default 'processing' check (status in ('pending', 'processing', 'completed', 'failed')),
  outcome text check (outcome in ('full', 'partial', 'none')),
  total_amount numeric(14,2) not null check (total_amount > 0),
  refunded_amount numeric(14,2) not null default 0 check (refunded_amount between 0 and total_amount),
  currency text not null,
  payment_code text not null unique,
  reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  completed_at timestamptz,
  unique (account_id, idempotency_key),
  check ((status in ('completed', 'failed')) = (completed_at is not null)),
  check ((outcome is null) = (completed_at is null)),
  check ((status = 'completed') = (outcome is not null and outcome = 'full'))
);
create index orders_newest on supply.orders (account_id, id desc);
create index orders_external on supply.orders (account_id, external_order_id);
create index orders_open on supply.orders (account_id) where completed_at is null;
comment on table supply.orders is 'The orders of partners, one charge each.';
comment on column supply.orders.id is 'Internal number; never shown to partners.';
comment on column supply.orders.code is 'The orderCode: random, so that it cannot be guessed.';
comment on column supply.orders.account_id is 'Who ordered.';
comment on column supply.orders.idempotency_key is 'The idempotency header, else external_order_id; unique per account for ever.';
comment on column supply.orders.external_order_id is 'The partner''s own reference.';
comment on column supply.orders.callback_url is 'Where the event goes; null: no event.';
comment on column supply.orders.request_items is 'The items as asked for, in the form in which repeats are compared.';
comment on column supply.orders.status is 'pending (held by an operator), processing, completed, failed.';
comment on column supply.orders.outcome is 'Of a final order: full, partial or none of it was delivered.';
comment on column supply.orders.total_amount is 'What was charged: the sum of price times amount over the lines.';
comment on column supply.orders.refunded_amount is 'What went back to the balance.';
comment on column supply.orders.currency is 'ISO 4217 code of the amounts.';
comment on column supply.orders.payment_code is 'The code of the charge, as the statement shows it.';
comment on column supply.orders.reason is 'Of a failed order: the buyer-safe Russian text, if there is one.';
comment on column supply.orders.created_at is 'When it was accepted and charged.';
comment on column supply.orders.updated_at is 'When it or one of its lines last changed its status.';
comment on column supply.orders.completed_at is 'When it became final.';

create table supply.order_items (
  id uuid primary key default gen_random_uuid(),
  order_id bigint not null references supply.orders,
  position int not null check (position >= 0),
  part int not null default 0 check (part in (0, 1)),
  product_id int not null references supply.products,
  product_name text not null,
  delivery_type text not null,
  delivery_data jsonb not null,
  amount int not null check (amount >= 1),
  price numeric(14,2) not null check (price > 0),
  status text not null default 'processing' check (status in ('pending', 'processing', 'completed', 'failed')),
  refunded_amount numeric(14,2) not null default 0,
  error_code text,
  error_message text,
  completed_at timestamptz,
  supplier text not null references supply.suppliers,
  sku text not null,
  tried_suppliers text[] not null default '{}',
  supplier_order_id text,
  next_call text not null default 'put' check (next_call in ('put', 'get')),
  checks int not null default 0,
  sent_at timestamptz,
  next_check_at timestamptz,
  claim_id uuid,
  claim_expires_at timestamptz,
  stuck_at timestamptz,
  held_at timestamptz,
  held_reason text,
  unique (order_id, position, part),
  check ((status in ('completed', 'failed')) = (completed_at is not null)),
  check (refunded_amount = 0 or (status = 'failed' and refunded_amount = price * amount))
) with (fillfactor = 80);
create index order_items_unsettled on supply.order_items (stuck_at, held_at) where stuck_at is not null or held_at is not null;
create index order_items_open on supply.order_items (id) where completed_at is null;
comment on table supply.order_items is 'The lines of orders, and how far each is with its supplier.';
comment on column supply.order_items.id is 'The line''s UUID; of part 0 also its reference at the supplier.';
comment on column supply.order_items.order_id is 'The order.';
comment on column supply.order_items.position is 'Its place in the request, from 0.';
comment on column supply.order_items.part is '1 for the failed rest of a line of which only a part was delivered.';
comment on column supply.order_items.product_id is 'The product.';
comment on column supply.order_items.product_name is 'The product''s name at the time of the order.';
comment on column supply.order_items.delivery_type is 'The product''s delivery type at the time of the order; key lines deliver keys.';
comment on column supply.order_items.delivery_data is 'What the supplier needs to deliver.';
comment on column supply.order_items.amount is 'The quantity.';
comment on column supply.order_items.price is 'The unit price at the time of the order.';
comment on column supply.order_items.status is 'pending, processing, completed, failed; the last two are final.';
comment on column supply.order_items.refunded_amount is 'What of the line went back to the balance.';
comment on column supply.order_items.error_code is 'The supplier''s errorCode, if the line failed with one.';
comment on column supply.order_items.error_message is 'The buyer-safe Russian text for it.';
comment on column supply.order_items.completed_at is 'When the line became final.';
comment on column supply.order_items.supplier is 'Who has the line now.';
comment on column supply.order_items.sku is 'The supplier''s name for the product.';
comment on column supply.order_items.tried_suppliers is 'Suppliers that refused the line as out of stock.';
comment on column supply.order_items.supplier_order_id is 'The supplier''s own reference.';
comment on column supply.order_items.next_call is 'put: it may be sent. get: it was sent, and has to be asked for.';
comment on column supply.order_items.checks is 'How many answers of the present supplier were not final; the step of the polling.';
comment on column supply.order_items.sent_at is 'When it was first sent to its present supplier; the deadline counts from here.';
comment on column supply.order_items.next_check_at is 'When the supplier is asked next; null while nothing is planned.';
comment on column supply.order_items.claim_id is 'The call that is under way, or was last.';
comment on column supply.order_items.claim_expires_at is 'Until when that call may take; null: none is under way.';
comment on column supply.order_items.stuck_at is 'When the supplier''s deadline passed.';
comment on column supply.order_items.held_at is 'When an answer that makes no sense put the line on hold for an operator.';
comment on column supply.order_items.held_reason is 'What made no sense.';

create table supply.item_keys (
  item_id uuid not null references supply.order_items,
  position int not null check (position >= 0),
  code text not null check (length(code) between 1 and 1000),
  created_at timestamptz not null default now(),
  primary key (item_id, position),
  unique (item_id, code)
);
comment on table supply.item_keys is 'The keys a supplier gave for a line; partners see those of completed lines.';
comment on column supply.item_keys.item_id is 'The line.';
comment on column supply.item_keys.position is 'The order in which they came, from 0.';
comment on column supply.item_keys.code is 'The key.';
comment on column supply.item_keys.created_at is 'When it came.';

create table supply.supplier_attempts (
  id bigint generated always as identity primary key,
  item_id uuid not null references supply.order_items,
  supplier text not null references supply.suppliers,
  method text not null check (method in ('put', 'get', 'push', 'operator')),
  claim_id uuid unique,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  status_code int,
  outcome text check (outcome in ('processing', 'completed', 'failed', 'unknown', 'not_received')),
  verdict text,
  error_code text,
  reason text,
  error text,
  raw text,
  supplier_order_id text,
  codes text[] not null default '{}'
);
create index supplier_attempts_item on supply.supplier_attempts (item_id, id);
comment on table supply.supplier_attempts is 'Every call to a supplier, every result it pushed and every settlement by hand, with what came of it.';
comment on column supply.supplier_attempts.id is 'A running number.';
comment on column supply.supplier_attempts.item_id is 'The line.';
comment on column supply.supplier_attempts.supplier is 'The supplier.';
comment on column supply.supplier_attempts.method is 'put, get, push, or operator.';
comment on column supply.supplier_attempts.claim_id is 'The claim under which the call was made; null for pushes and operators.';
comment on column supply.supplier_attempts.started_at is 'When the call began.';
comment on column supply.supplier_attempts.finished_at is 'When its result was recorded; null: under way, or lost.';
comment on column supply.supplier_attempts.status_code is 'The HTTP status, if there was one.';
comment on column supply.supplier_attempts.outcome is 'What the supplier said.';
comment on column supply.supplier_attempts.verdict is 'What the service made of it: settled, waiting, next_supplier, held, stale, late, contradicting, repeated.';
comment on column supply.supplier_attempts.error_code is 'The supplier''s errorCode.';
comment on column supply.supplier_attempts.reason is 'The supplier''s reason.';
comment on column supply.supplier_attempts.error is 'What went wrong, in technical terms; never shown to partners.';
comment on column supply.supplier_attempts.raw is 'The beginning of an answer that made no sense; it may hold keys.';
comment on column supply.supplier_attempts.supplier_order_id is 'The supplier''s own reference.';
comment on column supply.supplier_attempts.codes is 'The codes of the answer as they came.';

create table supply.ledger (
  account_id bigint not null references supply.accounts,
  seq bigint not null check (seq >= 1),
  type text not null check (type in ('deposit', 'order_charge', 'order_refund', 'adjustment')),
  amount numeric(14,2) not null check (amount <> 0),
  balance_after numeric(14,2) not null check (balance_after >= 0),
  currency text not null,
  order_id bigint references supply.orders,
  item_id uuid references supply.order_items,
  payment_code text,
  reference text,
  note text,
  created_by text not null default session_user,
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, seq),
  check ((type = 'order_charge') = (order_id is not null and item_id is null)),
  check ((type = 'order_refund') = (item_id is not null)),
  check (type <> 'order_charge' or amount < 0),
  check (type not in ('order_refund', 'deposit') or amount > 0),
  check ((type in ('deposit', 'adjustment')) = (reference is not null))
);
create unique index ledger_one_charge on supply.ledger (order_id) where type = 'order_charge';
create unique index ledger_one_refund on supply.ledger (item_id) where type = 'order_refund';
create unique index ledger_one_reference on supply.ledger (account_id, reference) where reference is not null;
create index ledger_time on supply.ledger (account_id, created_at);
comment on table supply.ledger is 'Every change of every balance. Rows are only ever added.';
comment on column supply.ledger.account_id is 'The account.';
comment on column supply.ledger.seq is 'Counts the account''s rows from 1 without a gap.';
comment on column supply.ledger.type is 'deposit, order_charge, order_refund, adjustment.';
comment on column supply.ledger.amount is 'The signed change.';
comment on column supply.ledger.balance_after is 'The balance after it.';
comment on column supply.ledger.currency is 'ISO 4217 code.';
comment on column supply.ledger.order_id is 'The order charged or refunded.';
comment on column supply.ledger.item_id is 'The line refunded.';
comment on column supply.ledger.payment_code is 'The order''s payment code.';
comment on column supply.ledger.reference is 'The operator''s reference of a deposit or an adjustment, unique per account.';
comment on column supply.ledger.note is 'The operator''s note.';
comment on column supply.ledger.created_by is 'The database login that wrote it.';
comment on column supply.ledger.created_at is 'When; written under the account''s lock, so it rises with seq.';

create function supply.refuse_change() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception 'rows of % are never changed or deleted', tg_table_name using errcode = 'restrict_violation';
end
$$;
comment on function supply.refuse_change() is 'Keeps append-only tables append-only. It is part of the tables, so it stands beside them.';
create trigger append_only before update or delete on supply.ledger for each row execute function supply.refuse_change();
create trigger append_only_truncate before truncate on supply.ledger for each statement execute function supply.refuse_change();

reset role;
