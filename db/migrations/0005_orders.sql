set local role supply_owner;

create type supply.order_request_item as (product_id bigint, quantity int, delivery_data jsonb, max_price numeric);
create type supply.order_request as (
  ordinal int, account_id bigint, key_id bigint, client inet, request_id text, request_id_given boolean,
  traceparent text,
  idempotency_key text, external_order_id text, callback_url text, callback_error text, max_total numeric,
  items supply.order_request_item[]
);
comment on type supply.order_request is
  'A request for an order, as the API checked its shape. callback_error: why the callback_url is refused; null: it is '
  'valid. Without an idempotency_key it is a quote.';

create type supply.order_result as enum (
  'busy', 'UNAUTHORIZED', 'replayed', 'IDEMPOTENCY_KEY_REUSED', 'INVALID_CALLBACK_URL', 'PRODUCT_NOT_FOUND',
  'DELIVERY_DATA_INVALID', 'PRODUCT_UNAVAILABLE', 'QUANTITY_OUT_OF_RANGE', 'PRICE_CHANGED', 'SPENDING_LIMIT',
  'INSUFFICIENT_BALANCE', 'created'
);
comment on type supply.order_result is
  'The result of a request, in the order of the checks. busy: nothing was done, and the request is to be repeated.';

create type supply.order_fault as (result supply.order_result, path text, message text, price numeric);
comment on type supply.order_fault is 'Why a field of a request is refused; price: the present one, of PRICE_CHANGED.';

create type supply.priced_item as (
  ordinal int, place bigint, product_id bigint, quantity int, delivery_data jsonb, product_name text,
  delivery_type text, price numeric, available boolean, supplier text, sku text, cost numeric,
  supplier_cost numeric, supplier_currency text, rate numeric, faults supply.order_fault[]
);
comment on type supply.priced_item is
  'An item of the request with this ordinal, at its place from 1, with what the catalog says of it; faults: null if it '
  'can be ordered.';

create type supply.exceeded_limit as (
  scope text, per text, amount numeric, spent numeric, resets_at timestamptz
);
comment on type supply.exceeded_limit is
  'A spending limit that an order would exceed: of an account or a key, per hour or day, with what was spent.';

create type supply.order_decision as (
  request supply.order_request, result supply.order_result, items supply.priced_item[], request_items jsonb,
  total numeric, currency text, balance numeric, room numeric,
  exceeded supply.exceeded_limit, order_id bigint, order_code text, differing text[]
);
comment on type supply.order_decision is
  'What is decided about a request. balance: of the account before the batch; room: what its '
  'spending limits leave, null without any; exceeded: the limit that refuses it. The order is the earlier one with the '
  'same key, or the one to be written; differing: the fields in which the request differs from the earlier one.';

create table supply.orders (
  id bigint generated always as identity primary key,
  -- Not {1,64}: a counted repetition costs a twentieth of an order in a batch.
  code text collate "C" not null unique check (code ~ '^[A-Za-z0-9_-]+$' and length(code) <= 64),
  account_id bigint not null references supply.accounts,
  number bigint not null check (number >= 1),
  idempotency_key text collate "C" not null check (length(idempotency_key) between 1 and 255),
  -- Operators read it in terminals: no control characters, and none that turn the direction of the text after them.
  external_order_id text collate "C" not null check (length(external_order_id) between 1 and 128
    and external_order_id !~ '[\u0001-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]'),
  callback_url text,
  request_items jsonb not null,
  status text collate "C" not null default 'processing'
    check (status in ('pending', 'processing', 'completed', 'failed')),
  outcome text check (outcome in ('full', 'partial', 'none')),
  total_amount numeric(14,2) not null check (total_amount > 0),
  refunded_amount numeric(14,2) not null default 0 check (refunded_amount between 0 and total_amount),
  currency text collate "C" not null,
  payment_code text collate "C" not null generated always as (overlay(code placing 'pay' from 1 for 3)) stored,
  reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  completed_at timestamptz,
  request_id text collate "C",
  request_id_given boolean,
  traceparent text collate "C",
  key_id bigint,
  client cidr,
  items_fingerprint bytea,
  check ((status in ('completed', 'failed')) = (completed_at is not null)),
  check ((outcome is null) = (completed_at is null)),
  check ((status = 'completed') = (outcome is not null and outcome = 'full'))
);
-- By an expression: every index that begins with the account can serve a look-up by account and key, and a plan that
-- PostgreSQL made while the table was small read all orders of the account.
create unique index orders_request on supply.orders (idempotency_key, (account_id + 0));
-- Lists of an account, newest first: all, by status and by reference; a time is looked up as a number. The order of
-- creation matters: while the table is empty, the planner takes the youngest of the indexes that serve.
create index orders_time on supply.orders (account_id, created_at desc, id desc);
create unique index orders_number on supply.orders (account_id, number desc);
create index orders_final on supply.orders (account_id, status, number desc) where completed_at is not null;
-- By status, for ops.orders where status = 'processing'. Queries for open orders repeat this condition.
create index orders_open on supply.orders (account_id, status, number desc)
  include (total_amount) where status in ('pending', 'processing');
create index orders_external on supply.orders (external_order_id, account_id, number desc);
-- Operators look for the newest orders, and for one order by its request or its trace.
create index orders_latest on supply.orders (created_at);
-- Whose delivery data may be erased next.
create index orders_not_erased on supply.orders (completed_at)
  where completed_at is not null and items_fingerprint is null;
create index orders_request_id on supply.orders (request_id) where request_id is not null;
create index orders_trace on supply.orders (substr(traceparent, 4, 32)) where traceparent is not null;
comment on table supply.orders is 'The orders of partners, one charge each.';
comment on column supply.orders.id is 'Internal number; never shown to partners.';
comment on column supply.orders.code is 'The orderCode: random, so that it cannot be guessed.';
comment on column supply.orders.account_id is 'The account that ordered.';
comment on column supply.orders.number is
  'Counts the account''s orders from 1, without a gap; no order is older than the one before it.';
comment on column supply.orders.idempotency_key is
  'The idempotency header, else external_order_id; unique per account, permanently.';
comment on column supply.orders.external_order_id is 'The partner''s own reference.';
comment on column supply.orders.callback_url is 'Where the event is sent; null: the order has no event.';
comment on column supply.orders.request_items is 'The requested items, in the form in which repeats are compared.';
comment on column supply.orders.status is
  'pending (held by an operator), processing, completed, failed; the last two are final.';
comment on column supply.orders.outcome is 'Of a final order: full, partial or none was delivered.';
comment on column supply.orders.total_amount is 'The charge: the sum of price times amount over the items.';
comment on column supply.orders.refunded_amount is 'What was refunded.';
comment on column supply.orders.currency is 'ISO 4217 code of the amounts.';
comment on column supply.orders.payment_code is
  'The reference of the charge, as the statement shows it: the code, beginning with pay_.';
comment on column supply.orders.reason is 'Of a failed order: the Russian text for buyers; null: there is none.';
comment on column supply.orders.created_at is 'When the order was accepted and charged.';
comment on column supply.orders.updated_at is 'When the order or one of its items last changed its status.';
comment on column supply.orders.completed_at is 'When the order became final.';
comment on column supply.orders.request_id is
  'The X-Request-Id of the request that placed it, under which the logs of all processes follow the order.';
comment on column supply.orders.request_id_given is 'True if the partner chose the request_id; false if the API did.';
comment on column supply.orders.traceparent is
  'The W3C trace context of the request that placed it, in version 00: its trace id, and the span that calls and '
  'deliveries belong to; null: none.';
-- No foreign key: it would lock the key's row for each order.
comment on column supply.orders.key_id is 'The API key that placed it.';
comment on column supply.orders.client is 'The network of the request that placed it: the /24 or /48 of its address.';
comment on column supply.orders.items_fingerprint is
  'Of the request_items before their delivery data was erased, for repeats (core.items_fingerprint); null: it was not.';

create table supply.fingerprint_keys (
  id boolean primary key default true check (id),
  inner_key bytea not null check (length(inner_key) = 64),
  outer_key bytea not null check (length(outer_key) = 64)
);
comment on table supply.fingerprint_keys is 'The key of the fingerprints of erased requests. There is one row.';
comment on column supply.fingerprint_keys.id is 'Always true.';
comment on column supply.fingerprint_keys.inner_key is 'The key of the inner hash, random.';
comment on column supply.fingerprint_keys.outer_key is 'The key of the outer hash, random.';
-- Each UUID draws 122 bits from the server's secure random source.
insert into supply.fingerprint_keys (inner_key, outer_key)
select random.bytes[1] || random.bytes[2], random.bytes[3] || random.bytes[4]
from (
  select array_agg(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
    as bytes
  from generate_series(1, 4)) as random;

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
  buyer_reason text,
  completed_at timestamptz,
  supplier text collate "C" not null references supply.suppliers,
  sku text collate "C" not null,
  tried_suppliers text[] not null default '{}',
  supplier_order_id text collate "C",
  next_call text not null default 'put' check (next_call in ('put', 'get')),
  checks int not null default 0,
  sent_at timestamptz,
  next_check_at timestamptz,
  lease_token uuid,
  lease_expires_at timestamptz,
  stuck_at timestamptz,
  held_at timestamptz,
  held_reason text,
  recovered_at timestamptz,
  cost numeric(14,2),
  supplier_cost numeric check (supplier_cost >= 0),
  supplier_currency text collate "C",
  rate numeric,
  offered_cost numeric,
  offered_currency text collate "C",
  limited_at timestamptz,
  limited_rank int check (limited_rank between 0 and 8),
  recipient text,
  unique (order_id, position, part),
  check ((status in ('completed', 'failed')) = (completed_at is not null)),
  check (refunded_amount = 0 or (status = 'failed' and refunded_amount = price * amount)),
  check (limited_rank is null or limited_at is not null and lease_expires_at is null)
) with (fillfactor = 80);
create index order_items_open on supply.order_items (id) where completed_at is null;
create index order_items_unsettled on supply.order_items (stuck_at, held_at)
  where (stuck_at is not null or held_at is not null) and completed_at is null;
create index order_items_recovered on supply.order_items (id) where recovered_at is not null and completed_at is null;
-- Operators look an order up by its supplier's reference.
create index order_items_supplier_order on supply.order_items (supplier_order_id) where supplier_order_id is not null;
-- A supplier's ended items by time. Written once, by an update that changes other indexes anyway.
create index order_items_ended on supply.order_items (supplier, completed_at) where completed_at is not null;
-- What waits for a place at its supplier, or has one and no call. No call of an item that never waited changes these.
create index order_items_limited on supply.order_items (supplier, limited_rank, limited_at, order_id)
  where limited_at is not null and completed_at is null;
create index order_items_limited_product on supply.order_items (supplier, product_id)
  where limited_rank = 0 and completed_at is null;
comment on table supply.order_items is 'The items of orders, and how far each is with its supplier.';
comment on column supply.order_items.id is 'The item''s UUID; of part 0 also its reference at the supplier.';
comment on column supply.order_items.order_id is 'The order.';
comment on column supply.order_items.position is 'The place of the item in the request, from 0.';
comment on column supply.order_items.part is '1 for the failed rest of an item of which only a part was delivered.';
comment on column supply.order_items.product_id is 'The product.';
comment on column supply.order_items.product_name is 'The product''s name at the time of the order.';
comment on column supply.order_items.delivery_type is
  'The product''s delivery type at the time of the order; key items deliver codes.';
comment on column supply.order_items.delivery_data is 'What the supplier needs to deliver.';
comment on column supply.order_items.amount is 'The quantity.';
comment on column supply.order_items.price is 'The unit price at the time of the order.';
comment on column supply.order_items.status is 'pending, processing, completed, failed; the last two are final.';
comment on column supply.order_items.refunded_amount is 'What was refunded for the item.';
comment on column supply.order_items.error_code is 'The supplier''s errorCode, if the item failed with one.';
comment on column supply.order_items.error_message is
  'The Russian text for buyers: the supplier''s reason, else that of the error_code.';
comment on column supply.order_items.buyer_reason is 'The Russian text for buyers that the supplier gave; null: none.';
comment on column supply.order_items.completed_at is 'When the item became final.';
comment on column supply.order_items.supplier is 'The supplier that has the item, or had it last.';
comment on column supply.order_items.sku is 'The supplier''s name for the product.';
comment on column supply.order_items.tried_suppliers is 'Suppliers that refused the item as out of stock.';
comment on column supply.order_items.supplier_order_id is 'The supplier''s own reference.';
comment on column supply.order_items.next_call is
  'put: the item may be sent. get: it was sent, and its supplier is asked for it.';
comment on column supply.order_items.checks is 'How many answers of the supplier were not final; the polling step.';
comment on column supply.order_items.sent_at is
  'When the item was first sent to its supplier; the deadline counts from here.';
comment on column supply.order_items.next_check_at is 'When the supplier is called next; null: nothing is planned.';
comment on column supply.order_items.lease_token is 'The fencing token of the call that is under way, or was last.';
comment on column supply.order_items.lease_expires_at is
  'When the lease of the call under way ends; null: none is under way.';
comment on column supply.order_items.stuck_at is 'When the supplier''s deadline passed.';
comment on column supply.order_items.held_at is 'When the item was held for an operator.';
comment on column supply.order_items.held_reason is 'Why the item was held.';
comment on column supply.order_items.recovered_at is
  'When a recovery began while the item was open: a supplier is asked for it before it is sent.';
comment on column supply.order_items.cost is
  'What a unit costs at the supplier, in the product''s currency, by the offer that was used; null: unknown.';
comment on column supply.order_items.supplier_cost is
  'What a unit costs in supplier_currency: what the supplier charged where its answer says that, else the cost of the '
  'offer when it was chosen. A unit of several that cost differently has the mean. null: unknown.';
comment on column supply.order_items.supplier_currency is 'The currency in which the supplier is paid.';
comment on column supply.order_items.rate is
  'What a unit of supplier_currency was in the order''s currency when the offer was chosen; null: unknown.';
comment on column supply.order_items.offered_cost is
  'The cost of the offer where the supplier charged another price; null: supplier_cost is that of the offer.';
comment on column supply.order_items.offered_currency is 'The currency of offered_cost.';
comment on column supply.order_items.limited_at is
  'From when on the next call waits, or waited, for a place at the supplier; null: a place was free.';
comment on column supply.order_items.limited_rank is
  'In which order the items that wait get places: 0: a first call, 1 to 8: a question after so many others. Null: the '
  'item does not wait for a place.';
comment on column supply.order_items.recipient is
  'The recipient of the offer when the item was first sent: fields of its delivery data in braces; null: none.';

create table supply.item_keys (
  item_id uuid not null references supply.order_items,
  position int not null check (position >= 0),
  code text collate "C" not null check (length(code) between 1 and 30000),
  primary key (item_id, position)
);
-- By core.code_identity: a code is sealed into another text each time.
create unique index item_keys_same_code on supply.item_keys (
  item_id, (case when code like 'sealed:%' then split_part(code, ':', 4)
    when code like 'card:{%' then substr(code, 6)::json ->> 'code' else code end));
create index item_keys_code on supply.item_keys ((
  case when code like 'sealed:%' then split_part(code, ':', 4)
    when code like 'card:{%' then substr(code, 6)::json ->> 'code' else code end));
comment on table supply.item_keys is
  'The codes that a supplier gave for an item; partners see those of completed items.';
comment on column supply.item_keys.item_id is 'The item.';
comment on column supply.item_keys.position is 'The order in which the supplier gave the codes, from 0.';
comment on column supply.item_keys.code is
  'The code, with its parts as core.card_text writes them, sealed where DATA_KEYS is set.';

create table supply.replaced_codes (
  id bigint generated always as identity primary key,
  item_id uuid not null references supply.order_items,
  code text collate "C" not null check (length(code) between 1 and 30000),
  note text not null,
  replaced_by text not null default session_user,
  replaced_at timestamptz not null default now()
);
create index replaced_codes_item on supply.replaced_codes (item_id);
create index replaced_codes_code on supply.replaced_codes ((
  case when code like 'sealed:%' then split_part(code, ':', 4)
    when code like 'card:{%' then substr(code, 6)::json ->> 'code' else code end));
comment on table supply.replaced_codes is 'The codes that operators replaced: partners do not see them any more.';
comment on column supply.replaced_codes.id is 'A running number.';
comment on column supply.replaced_codes.item_id is 'The item that had the code.';
comment on column supply.replaced_codes.code is 'The code, sealed where DATA_KEYS is set.';
comment on column supply.replaced_codes.note is 'Why it was replaced.';
comment on column supply.replaced_codes.replaced_by is 'The login of the operator.';
comment on column supply.replaced_codes.replaced_at is 'When it was replaced.';

create table supply.typed_codes (
  item_id uuid primary key references supply.order_items,
  action text not null check (action in ('completed', 'failed', 'replace')),
  codes text[] not null,
  reason text not null,
  typed_by text not null default session_user,
  typed_at timestamptz not null default now()
);
comment on table supply.typed_codes is
  'Codes that an operator typed in a database with data keys, until a worker seals them and compares them with all '
  'others.';
comment on column supply.typed_codes.item_id is 'The item.';
comment on column supply.typed_codes.action is
  'completed or failed: ops.settle_item settles the item so. replace: ops.replace_code replaces the first of the codes '
  'by the second.';
comment on column supply.typed_codes.codes is 'The codes as they were typed.';
comment on column supply.typed_codes.reason is 'The operator''s reason or note.';
comment on column supply.typed_codes.typed_by is 'The login of the operator.';
comment on column supply.typed_codes.typed_at is 'When they were typed.';

create table supply.supplier_attempts (
  id bigint generated always as identity primary key,
  item_id uuid not null references supply.order_items,
  supplier text collate "C" not null references supply.suppliers,
  method text not null check (method in ('put', 'get', 'push', 'operator', 'partner', 'stock')),
  lease_token uuid unique,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  status_code int,
  outcome text check (
    outcome in ('processing', 'completed', 'failed', 'unknown', 'not_received', 'not_placed', 'hold')),
  verdict supply.call_verdict,
  error_code text,
  reason text,
  error text,
  raw text,
  supplier_order_id text collate "C",
  codes text[] not null default '{}',
  repeats int not null default 0,
  cause text
);
create index supplier_attempts_item on supply.supplier_attempts (item_id, id);
create index supplier_attempts_latest on supply.supplier_attempts (started_at, supplier);
create index supplier_attempts_open on supply.supplier_attempts (supplier, started_at) where finished_at is null;
create index supplier_attempts_raw on supply.supplier_attempts (started_at) where raw is not null;
comment on table supply.supplier_attempts is
  'Every call to a supplier, every result it pushed, every settlement by hand and every cancellation.';
comment on column supply.supplier_attempts.id is 'A running number.';
comment on column supply.supplier_attempts.item_id is 'The item.';
comment on column supply.supplier_attempts.supplier is 'The supplier.';
comment on column supply.supplier_attempts.method is
  'put (sent), get (polled), push, operator, partner (cancelled), or stock (taken from our own).';
comment on column supply.supplier_attempts.lease_token is
  'The fencing token of the call; null for pushes and operators.';
comment on column supply.supplier_attempts.started_at is 'When the call began.';
comment on column supply.supplier_attempts.finished_at is
  'When the result was recorded; null: the call is under way, or was lost.';
comment on column supply.supplier_attempts.status_code is 'The HTTP status, if there was one.';
comment on column supply.supplier_attempts.outcome is
  'What the supplier said: processing, completed, failed; not_received: it does not know the order; not_placed: the '
  'call placed no order; hold: an operator decides; unknown: no conclusion is possible.';
comment on column supply.supplier_attempts.verdict is
  'The service''s decision: settled, waiting, stuck, next_supplier, held, stale, late, contradicting, repeated; '
  'sent_again: an operator sent it again.';
comment on column supply.supplier_attempts.error_code is 'The supplier''s errorCode.';
comment on column supply.supplier_attempts.reason is 'The supplier''s reason, or the operator''s.';
comment on column supply.supplier_attempts.error is 'What went wrong, in technical terms; never shown to partners.';
comment on column supply.supplier_attempts.raw is
  'The beginning of an answer that made no sense, sealed where DATA_KEYS is set; it may hold codes.';
comment on column supply.supplier_attempts.supplier_order_id is 'The supplier''s own reference.';
comment on column supply.supplier_attempts.codes is
  'The codes of the answer, in its order, sealed where DATA_KEYS is set.';
comment on column supply.supplier_attempts.repeats is 'How often the supplier pushed the same result again.';
comment on column supply.supplier_attempts.cause is
  'Why the call placed no order: balance, credentials, settings, unreachable, busy, or late (the worker stood still); '
  'null unless the outcome is not_placed.';

create table supply.supplier_events (
  supplier text collate "C" not null references supply.suppliers,
  event_id text collate "C" not null check (length(event_id) between 1 and 200),
  item_id uuid not null references supply.order_items,
  received_at timestamptz not null default now(),
  primary key (supplier, event_id)
);
create index supplier_events_time on supply.supplier_events (received_at);
create index supplier_events_item on supply.supplier_events (item_id);
comment on table supply.supplier_events is 'The events that suppliers pushed, so that a repeated one has no effect.';
comment on column supply.supplier_events.supplier is 'The supplier.';
comment on column supply.supplier_events.event_id is 'The supplier''s name for the event.';
comment on column supply.supplier_events.item_id is 'The item of the event.';
comment on column supply.supplier_events.received_at is 'When the event was first received.';

reset role;
