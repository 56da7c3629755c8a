set local role supply_owner;

create table supply.protocols (
  name text collate "C" primary key check (name ~ '^[a-z][a-z0-9_-]{0,49}$'),
  repeat_safe_for interval check (repeat_safe_for >= interval '0'),
  finds_by_reference boolean not null,
  pushes text check (pushes in ('results', 'events')),
  lists_offers boolean not null,
  requests_per_call int not null check (requests_per_call >= 1),
  asks_by_repeating boolean not null default false,
  min_wait interval check (min_wait between '1 s' and '1 hour'),
  reports_balance boolean not null default false,
  check (not asks_by_repeating or repeat_safe_for is null or repeat_safe_for > '0')
);
comment on table supply.protocols is
  'The capabilities of suppliers by protocol; each protocol but stock has an adapter in the worker.';
comment on column supply.protocols.name is 'The protocol''s name.';
comment on column supply.protocols.repeat_safe_for is
  'For how long an order that was sent may be sent again with the same reference and stays one order; null: '
  'permanently; zero: never.';
comment on column supply.protocols.finds_by_reference is 'Whether an order can be found by our reference.';
comment on column supply.protocols.pushes is
  'results: the supplier pushes signed results. events: it pushes events, after which it is asked. null: it does not '
  'push.';
comment on column supply.protocols.lists_offers is 'Whether the supplier lists its costs and stock.';
comment on column supply.protocols.requests_per_call is
  'How many HTTP requests a call may take; per_minute counts them.';
comment on column supply.protocols.asks_by_repeating is
  'Whether the supplier is asked for an order by sending it again, which it never gets after repeat_safe_for.';
comment on column supply.protocols.min_wait is 'The smallest wait between two calls about one item; null: none.';
comment on column supply.protocols.reports_balance is 'Whether the supplier may report our balance there.';
insert into supply.protocols (
  name, repeat_safe_for, finds_by_reference, pushes, lists_offers, requests_per_call, reports_balance) values
  ('http', null, true, 'results', false, 1, true),
  ('b2b', '23 hours', true, 'events', true, 2, true),
  ('kinguin', '0', true, 'events', true, 3, true),
  -- Codes of our own (0013_stock.sql): no adapter, no call.
  ('stock', null, true, null, false, 1, false);
insert into supply.protocols (name, repeat_safe_for, finds_by_reference, pushes, lists_offers, requests_per_call,
  asks_by_repeating, min_wait, reports_balance)
values ('digiflazz', '89 days', false, 'events', true, 1, true, '60 s', true),
  ('bamboo', '0', true, 'events', true, 3, false, null, true);

create table supply.suppliers (
  code text collate "C" primary key check (code ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$'),
  protocol text collate "C" not null default 'http' check (length(protocol) between 1 and 50),
  base_url text check (base_url ~ '^https?://'),
  token text check (length(token) between 1 and 1000),
  active boolean not null default true,
  updated_at timestamptz not null default now(),
  push_secret text check (length(push_secret) between 1 and 1000),
  token_url text check (token_url ~ '^https?://'),
  client_id text check (length(client_id) between 1 and 500),
  max_calls int check (max_calls >= 1),
  per_minute numeric(8, 2) check (per_minute > 0),
  paused_at timestamptz,
  paused_reason text,
  failures int not null default 0 check (failures >= 0),
  open_since timestamptz,
  trial_at timestamptz,
  sync_every interval check (sync_every >= interval '1 minute'),
  sync_due_at timestamptz,
  synced_at timestamptz,
  sync_error text,
  balance_threshold numeric(14, 2) check (balance_threshold >= 0),
  trouble text check (trouble in ('balance', 'credentials', 'settings')),
  constraint suppliers_pause_check check ((paused_at is null) = (paused_reason is null)),
  constraint suppliers_client_check check ((token_url is null) = (client_id is null)),
  constraint suppliers_stock_check
    check ((protocol = 'stock') = (base_url is null) and (protocol = 'stock') = (token is null))
);
comment on table supply.suppliers is 'The suppliers.';
comment on column supply.suppliers.code is 'The supplier''s short name.';
comment on column supply.suppliers.protocol is 'The protocol of the supplier; its adapter calls it.';
comment on column supply.suppliers.base_url is 'The beginning of the addresses of its API; null: our own stock.';
comment on column supply.suppliers.token is
  'The credential for calls, and the HMAC key of the results that it pushes; env:SUPPLIER_SECRET_…: that name in the '
  'environment.';
comment on column supply.suppliers.active is
  'An inactive supplier gets no new items, and is still asked for those it has.';
comment on column supply.suppliers.updated_at is 'When the row last changed.';
comment on column supply.suppliers.push_secret is
  'The secret of the events that it pushes, or env:SUPPLIER_SECRET_…; null: it pushes none.';
comment on column supply.suppliers.token_url is
  'Where client_id and token get an access token (RFC 6749, 4.4); null: token is used as it is.';
comment on column supply.suppliers.client_id is 'Our client id at token_url.';
comment on column supply.suppliers.max_calls is 'How many calls of all workers may be under way; null: no limit.';
comment on column supply.suppliers.per_minute is 'How many requests a minute all workers may make; null: no limit.';
comment on column supply.suppliers.paused_at is
  'Since when an operator has paused it: it gets no new items; null: it is not paused.';
comment on column supply.suppliers.paused_reason is 'Why an operator paused it.';
comment on column supply.suppliers.failures is 'How many calls in a row had no usable answer.';
comment on column supply.suppliers.open_since is
  'Since when its circuit is open: new items go to other suppliers; null: it is closed.';
comment on column supply.suppliers.trial_at is 'When one new item tries the open circuit.';
comment on column supply.suppliers.sync_every is 'How often its costs and stock are read; null: never.';
comment on column supply.suppliers.sync_due_at is 'When its costs and stock are read next; null: never.';
comment on column supply.suppliers.synced_at is 'When its costs and stock were last read completely; null: never.';
comment on column supply.suppliers.sync_error is 'Why the last reading failed, in technical terms; null: it did not.';
comment on column supply.suppliers.balance_threshold is
  'At or below this balance there operators are alerted; null: never.';
comment on column supply.suppliers.trouble is
  'What an operator has to fix before it takes orders: balance (our balance there is spent), credentials (not '
  'accepted), settings (they make no request); null: nothing.';

create type supply.planned_call as (item_id uuid, wait_ms double precision);
comment on type supply.planned_call is
  'A call that begins, and for how long the worker waits before it by the limits of the supplier.';

create type supply.call_verdict as enum (
  'busy', 'settled', 'waiting', 'stuck', 'next_supplier', 'held', 'stale', 'repeated', 'late', 'contradicting',
  'sent_again'
);
comment on type supply.call_verdict is
  'What a result means for its item. settled: delivered or failed, also in part. waiting, stuck: it is asked for '
  'again. held: an operator decides. next_supplier: another one gets it. stale, repeated, late, contradicting: nothing '
  'changes. busy: the result could not be recorded now. sent_again: an operator sends the item again.';

create type supply.call_result as (
  ordinal int, -- its place among the results that are recorded together, from 1
  item_id uuid,
  attempt_id bigint, -- the call or push
  lease_token uuid, -- the fencing token of the call; null: a push
  supplier text,
  method text, -- put, get, push or stock
  outcome text, -- processing, completed, failed, unknown, not_received, not_placed or hold
  verdict supply.call_verdict, -- what it means for its item
  delivered int, -- how many units it delivers, where it is settled
  codes text[],
  error_code text,
  reason text, -- in the supplier's own words
  cause text, -- why a call placed no order: balance, credentials, settings, unreachable, busy or late
  error text, -- what was wrong with the answer, in technical terms
  raw text, -- the beginning of an answer that cannot be used
  http_status int,
  retry_after double precision, -- how many seconds to wait, as the supplier asked
  supplier_order_id text, -- the supplier's own id of the order
  unit_price numeric, -- what the supplier charges for a unit; null: it does not say
  price_currency text -- of unit_price; null: that of its offer
);
comment on type supply.call_result is
  'What a supplier said about an item, in answer to a call or by a push.';

-- Apart from supply.suppliers, so that an operator's open transaction stops no calls.
create table supply.supplier_places (
  supplier text collate "C" primary key references supply.suppliers,
  free_at timestamptz
) with (fillfactor = 50);
comment on table supply.supplier_places is
  'Whoever gives the places of a supplier with limits, or with items that wait, has locked its row.';
comment on column supply.supplier_places.supplier is 'The supplier.';
comment on column supply.supplier_places.free_at is
  'When per_minute, or the pace of a supplier without it, allows the next request; null or past: at once.';

create table supply.supplier_checks (
  supplier text collate "C" primary key references supply.suppliers,
  id uuid not null unique,
  asked_at timestamptz not null default now(),
  answered_at timestamptz,
  outcome text,
  status_code int,
  error text,
  read_at timestamptz
);
comment on table supply.supplier_checks is
  'The latest harmless call to each supplier that an operator asked for: ops.check_supplier.';
comment on column supply.supplier_checks.supplier is 'The supplier.';
comment on column supply.supplier_checks.id is
  'The id of the check, and the reference of the order that the worker asks for.';
comment on column supply.supplier_checks.asked_at is 'When the operator asked for it.';
comment on column supply.supplier_checks.answered_at is 'When the worker had the answer; null: it has none yet.';
comment on column supply.supplier_checks.outcome is 'The outcome of the call; not_received is the good one.';
comment on column supply.supplier_checks.status_code is 'The status code of the answer; null: there was none.';
comment on column supply.supplier_checks.error is 'What was wrong, in technical terms.';
comment on column supply.supplier_checks.read_at is 'When an operator first read the answer; null: nobody did.';

create table supply.secret_hosts (
  secret text collate "C" primary key check (secret ~ '^SUPPLIER_SECRET_[A-Z0-9_]+$'),
  hosts text[] not null,
  supplier text collate "C" not null references supply.suppliers,
  claimed_at timestamptz not null default now()
);
comment on table supply.secret_hosts is
  'The hosts that a secret of the environment goes to: those that used its name first, or that the owner trusts.';
comment on column supply.secret_hosts.secret is 'The name of the setting that has the secret.';
comment on column supply.secret_hosts.hosts is
  'Hosts and ports of the URL and the token_url, as core.host_and_port returns them.';
comment on column supply.secret_hosts.supplier is 'The supplier that used it first, or that the owner trusts.';
comment on column supply.secret_hosts.claimed_at is 'When it used it first, or the owner trusted it.';

create table supply.offers (
  product_id int not null references supply.products,
  supplier text collate "C" not null references supply.suppliers,
  sku text collate "C" not null check (length(sku) between 1 and 200),
  cost numeric(14,2) check (cost >= 0),
  priority int not null default 100,
  currency text collate "C" check (currency ~ '^[A-Z]{3}$'),
  available boolean not null default true,
  stock int check (stock >= 0),
  max_cost numeric(14, 2) check (max_cost > 0),
  synced_at timestamptz,
  problem text,
  recipient text,
  primary key (product_id, supplier)
);
create index offers_supplier on supply.offers (supplier, sku);
comment on table supply.offers is 'Which supplier delivers which product. The lowest priority number is asked first.';
comment on column supply.offers.product_id is 'The product.';
comment on column supply.offers.supplier is 'The supplier.';
comment on column supply.offers.sku is 'The supplier''s name for the product.';
comment on column supply.offers.cost is 'What one unit costs us, in the offer''s currency; null: not known.';
comment on column supply.offers.priority is 'The smallest is asked first; of equals the cheapest.';
comment on column supply.offers.currency is 'The currency of its costs; null: the product''s.';
comment on column supply.offers.available is 'Whether the supplier''s list says that it has the product.';
comment on column supply.offers.stock is 'How many units the supplier''s list says it has; null: not known.';
comment on column supply.offers.max_cost is
  'Above this cost, in the offer''s currency, the offer is not used; null: no limit.';
comment on column supply.offers.synced_at is 'When the supplier''s list last contained the offer; null: never.';
comment on column supply.offers.problem is
  'Why the supplier''s list is of no use for the offer; null: there is no problem.';
comment on column supply.offers.recipient is
  'The text that the supplier delivers to, with fields of the delivery data in braces; null: it gets the data as such.';

create table supply.offer_changes (
  id bigint generated always as identity primary key,
  changed_at timestamptz not null default now(),
  product_id int not null references supply.products,
  supplier text collate "C" not null references supply.suppliers,
  before jsonb not null,
  after jsonb not null
);
create index offer_changes_product on supply.offer_changes (product_id, id);
create index offer_changes_time on supply.offer_changes (changed_at);
comment on table supply.offer_changes is 'What the lists of suppliers changed in our offers.';
comment on column supply.offer_changes.id is 'A running number.';
comment on column supply.offer_changes.changed_at is 'When the offer changed.';
comment on column supply.offer_changes.product_id is 'The product.';
comment on column supply.offer_changes.supplier is 'The supplier.';
comment on column supply.offer_changes.before is
  'The changed members of cost, currency, stock, available and problem, with their old values.';
comment on column supply.offer_changes.after is 'The same members with their new values.';

create table supply.access_tokens (
  supplier text collate "C" primary key references supply.suppliers,
  sealed text,
  expires_at timestamptz,
  renewed_by uuid,
  renewing_until timestamptz
);
comment on table supply.access_tokens is 'Access tokens of suppliers; one worker renews a token for all.';
comment on column supply.access_tokens.supplier is 'The supplier.';
comment on column supply.access_tokens.sealed is
  'The token, encrypted under a key that is derived from the supplier''s token; null: there is none yet.';
comment on column supply.access_tokens.expires_at is 'When the token expires.';
comment on column supply.access_tokens.renewed_by is 'The worker that renews the token.';
comment on column supply.access_tokens.renewing_until is 'Until when no other worker renews it.';

create table supply.supplier_syncs (
  supplier text collate "C" primary key references supply.suppliers,
  lease_token uuid,
  leased_at timestamptz,
  lease_expires_at timestamptz,
  failures int not null default 0 check (failures >= 0),
  failing_since timestamptz
);
comment on table supply.supplier_syncs is
  'The readings of suppliers'' lists that are under way. Apart from supply.suppliers, so that no order waits for a '
  'list.';
comment on column supply.supplier_syncs.supplier is 'The supplier.';
comment on column supply.supplier_syncs.lease_token is
  'The fencing token of the reading under way; null: there is none.';
comment on column supply.supplier_syncs.leased_at is 'When the reading began.';
comment on column supply.supplier_syncs.lease_expires_at is 'When another worker may read the list again.';
comment on column supply.supplier_syncs.failures is 'How many readings in a row failed.';
comment on column supply.supplier_syncs.failing_since is 'When the first of them failed; null: the last did not.';

-- Apart from supply.suppliers, so that no order waits for a balance.
create table supply.supplier_balances (
  supplier text collate "C" primary key references supply.suppliers,
  due_at timestamptz not null default now() + interval '1 minute',
  reading uuid,
  balance numeric,
  currency text collate "C",
  read_at timestamptz,
  changed_at timestamptz,
  daily_cost numeric,
  error text,
  check ((balance is null) = (currency is null) and (balance is null) = (read_at is null))
);
comment on table supply.supplier_balances is 'Our balances at suppliers, as they last reported them.';
comment on column supply.supplier_balances.supplier is 'The supplier.';
comment on column supply.supplier_balances.due_at is 'When it is read next.';
comment on column supply.supplier_balances.reading is
  'The reading under way, or the last one: the result of an earlier one changes nothing.';
comment on column supply.supplier_balances.balance is 'Our balance; null: none is known, or the supplier reports none.';
comment on column supply.supplier_balances.currency is 'The currency of the balance.';
comment on column supply.supplier_balances.read_at is 'When the reading began that returned the balance.';
comment on column supply.supplier_balances.changed_at is 'Since when the balance is what it is, as far as it was read.';
comment on column supply.supplier_balances.daily_cost is
  'What items cost a day there, in the currency of the balance: in the last 24 hours, or in the mean of seven days, '
  'whichever is more.';
comment on column supply.supplier_balances.error is 'Why the last reading failed; null: it did not.';

-- A day of calls is counted, as it would take too long to read.
create table supply.supplier_call_counts (
  began_at timestamptz not null,
  supplier text collate "C" not null references supply.suppliers,
  latency_ms int not null check (latency_ms >= 0),
  calls int not null check (calls >= 1),
  failures int not null,
  unknowns int not null,
  primary key (began_at, supplier, latency_ms)
);
comment on table supply.supplier_call_counts is
  'The calls to suppliers of one day, less the last minutes, counted by five minutes and latency. The calls '
  'themselves are supply.supplier_attempts.';
comment on column supply.supplier_call_counts.began_at is
  'When the five minutes began in which the calls were made. All calls up to the latest five minutes are counted.';
comment on column supply.supplier_call_counts.supplier is 'The supplier.';
comment on column supply.supplier_call_counts.latency_ms is
  'How long the answers took, in milliseconds, within 10 per cent; 0: there was no usable answer.';
comment on column supply.supplier_call_counts.calls is 'How many there were.';
comment on column supply.supplier_call_counts.failures is 'Those of them that the supplier answered by a failure.';
comment on column supply.supplier_call_counts.unknowns is 'Those of them that ended without a usable answer.';

reset role;
