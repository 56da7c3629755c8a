set local role supply_owner;

create table supply.protocols (
  name text primary key check (name ~ '^[a-z][a-z0-9_-]{0,49}$'),
  repeat_safe_for interval check (repeat_safe_for >= interval '0'),
  finds_by_reference boolean not null,
  pushes text check (pushes in ('results', 'events')),
  lists_offers boolean not null,
  requests_per_call int not null check (requests_per_call >= 1)
);
comment on table supply.protocols is 'What suppliers promise, by the protocol they speak. Each has an adapter in the worker, which promises the same.';
comment on column supply.protocols.name is 'The protocol''s name.';
comment on column supply.protocols.repeat_safe_for is
  'For how long after it was first sent an order may be sent again with the same reference and is still one order; null: for ever; zero: never.';
comment on column supply.protocols.finds_by_reference is 'Whether an order can be found by our reference.';
comment on column supply.protocols.pushes is
  'results: the supplier pushes signed results. events: what it pushes is a reason to ask. null: it does not push.';
comment on column supply.protocols.lists_offers is 'Whether the supplier lists its costs and stock.';
comment on column supply.protocols.requests_per_call is 'How many HTTP requests a call may take, by which the limit of a second is counted.';
insert into supply.protocols (name, repeat_safe_for, finds_by_reference, pushes, lists_offers, requests_per_call) values
  ('http', null, true, 'results', false, 1),
  ('b2b', '23 hours', true, 'events', true, 2),
  ('kinguin', '0', true, 'events', true, 3);

alter table supply.suppliers
  add column push_secret text check (length(push_secret) between 1 and 500),
  add column token_url text check (token_url ~ '^https?://'),
  add column client_id text check (length(client_id) between 1 and 500),
  add column max_calls int check (max_calls >= 1),
  add column max_per_second numeric(8, 2) check (max_per_second > 0),
  add column free_at timestamptz,
  add column paused_at timestamptz,
  add column paused_reason text,
  add column failures int not null default 0 check (failures >= 0),
  add column open_since timestamptz,
  add column trial_at timestamptz,
  add column sync_every interval check (sync_every >= interval '1 minute'),
  add column sync_due_at timestamptz,
  add column synced_at timestamptz,
  add column sync_error text,
  add constraint suppliers_pause_check check ((paused_at is null) = (paused_reason is null)),
  add constraint suppliers_client_check check ((token_url is null) = (client_id is null));
comment on column supply.suppliers.token is
  'The credential for calls to it, and the HMAC key of the results that it pushes; env:NAME: the setting of that name in the processes'' environment.';
comment on column supply.suppliers.push_secret is 'The secret of the events that it pushes, or env:NAME; null: it pushes none.';
comment on column supply.suppliers.token_url is 'Where an access token is had for client_id and token (RFC 6749, 4.4); null: token is used as it is.';
comment on column supply.suppliers.client_id is 'Who we are at token_url.';
comment on column supply.suppliers.max_calls is 'How many calls to it all workers together may have under way; null: no limit.';
comment on column supply.suppliers.max_per_second is 'How many requests a second all workers together may make; null: no limit.';
comment on column supply.suppliers.free_at is 'When by max_per_second the next request is due; null or past: at once.';
comment on column supply.suppliers.paused_at is 'Since when it gets no new items; null: it gets them.';
comment on column supply.suppliers.paused_reason is 'Why an operator paused it.';
comment on column supply.suppliers.failures is 'How many calls in a row had no usable answer.';
comment on column supply.suppliers.open_since is 'Since when its circuit is open: new items go to others where others can serve; null: it is closed.';
comment on column supply.suppliers.trial_at is 'When the next new item goes to it although its circuit is open.';
comment on column supply.suppliers.sync_every is 'How often its costs and stock are read; null: never.';
comment on column supply.suppliers.sync_due_at is 'When they are read next.';
comment on column supply.suppliers.synced_at is 'When they were last read in full.';
comment on column supply.suppliers.sync_error is 'Why the last reading failed, in technical terms; null: it did not.';

alter table supply.offers
  add column currency text check (currency ~ '^[A-Z]{3}$'),
  add column available boolean not null default true,
  add column stock int check (stock >= 0),
  add column max_cost numeric(14, 2) check (max_cost > 0),
  add column synced_at timestamptz;
comment on column supply.offers.cost is 'What one unit costs us, in the offer''s currency; null: not known.';
comment on column supply.offers.currency is 'The currency of its costs; null: the product''s.';
comment on column supply.offers.available is 'Whether the supplier has it, as far as its list says.';
comment on column supply.offers.stock is 'How many units the supplier''s list says it has; null: not known.';
comment on column supply.offers.max_cost is 'Above this cost, in the offer''s currency, the offer is not used; null: no limit.';
comment on column supply.offers.synced_at is 'When the supplier''s list last told of it; null: never.';

alter table supply.products add column min_margin numeric(5, 4) check (min_margin between -1 and 1);
comment on column supply.products.min_margin is
  'The least part of the price that has to remain after the cost, as 0.05 for 5 per cent; offers below are not used. null: as supply.offer_rules.';

create table supply.offer_rules (
  id boolean primary key default true check (id),
  min_margin numeric(5, 4) check (min_margin between -1 and 1)
);
comment on table supply.offer_rules is 'The rules for all offers: one row.';
comment on column supply.offer_rules.id is 'There is one row.';
comment on column supply.offer_rules.min_margin is 'supply.products.min_margin of the products that have none of their own; null: any.';
insert into supply.offer_rules default values;

create table supply.rates (
  from_currency text not null check (from_currency ~ '^[A-Z]{3}$'),
  to_currency text not null check (to_currency ~ '^[A-Z]{3}$'),
  rate numeric(20, 10) not null check (rate > 0),
  valid_until timestamptz not null,
  set_at timestamptz not null default now(),
  primary key (from_currency, to_currency),
  check (from_currency <> to_currency)
);
comment on table supply.rates is 'By what the costs of suppliers are converted. Without a valid rate an offer in another currency is not used.';
comment on column supply.rates.from_currency is 'The currency of a cost.';
comment on column supply.rates.to_currency is 'The currency of a product.';
comment on column supply.rates.rate is 'How many units of to_currency one unit of from_currency is.';
comment on column supply.rates.valid_until is 'Until when it is used.';
comment on column supply.rates.set_at is 'When it was set.';

create table supply.offer_changes (
  id bigint generated always as identity primary key,
  changed_at timestamptz not null default now(),
  product_id int not null references supply.products,
  supplier text not null references supply.suppliers,
  before jsonb not null,
  after jsonb not null
);
create index offer_changes_product on supply.offer_changes (product_id, id);
create index offer_changes_time on supply.offer_changes (changed_at);
comment on table supply.offer_changes is 'What the lists of suppliers changed in our offers.';
comment on column supply.offer_changes.id is 'A running number.';
comment on column supply.offer_changes.changed_at is 'When.';
comment on column supply.offer_changes.product_id is 'The product.';
comment on column supply.offer_changes.supplier is 'The supplier.';
comment on column supply.offer_changes.before is 'Cost, currency, stock and availability before, as far as they changed.';
comment on column supply.offer_changes.after is 'The same afterwards.';

create table supply.access_tokens (
  supplier text primary key references supply.suppliers,
  sealed text,
  expires_at timestamptz,
  renewed_by uuid,
  renewing_until timestamptz
);
comment on table supply.access_tokens is 'The access tokens of suppliers that give them for a time, so that one worker renews them for all.';
comment on column supply.access_tokens.supplier is 'The supplier.';
comment on column supply.access_tokens.sealed is 'The token, encrypted under a key that is derived from the supplier''s token; null: there is none yet.';
comment on column supply.access_tokens.expires_at is 'When the token expires.';
comment on column supply.access_tokens.renewed_by is 'Who renews it now.';
comment on column supply.access_tokens.renewing_until is 'Until when nobody else does.';

create table supply.supplier_events (
  supplier text not null references supply.suppliers,
  event_id text not null check (length(event_id) between 1 and 200),
  item_id uuid not null references supply.order_items,
  received_at timestamptz not null default now(),
  primary key (supplier, event_id)
);
create index supplier_events_time on supply.supplier_events (received_at);
create index supplier_events_item on supply.supplier_events (item_id);
insert into supply.housekeeping (what) values ('supplier events'), ('offer changes');
comment on table supply.supplier_events is 'The events that suppliers pushed and that were acted upon, so that a repeated one is not.';
comment on column supply.supplier_events.supplier is 'The supplier.';
comment on column supply.supplier_events.event_id is 'Its name for the event.';
comment on column supply.supplier_events.item_id is 'The item that it is about.';
comment on column supply.supplier_events.received_at is 'When it came first.';

-- not_placed: the supplier has no order by this call. hold: an operator has to look.
alter table supply.supplier_attempts drop constraint supplier_attempts_outcome_check;
alter table supply.supplier_attempts add constraint supplier_attempts_outcome_check
  check (outcome in ('processing', 'completed', 'failed', 'unknown', 'not_received', 'not_placed', 'hold')) not valid;
alter table supply.supplier_attempts validate constraint supplier_attempts_outcome_check;
comment on column supply.supplier_attempts.outcome is
  'What the supplier said: processing, completed, failed; not_received: it does not know the order; not_placed: by this call there is no order; '
  'hold: an operator has to look; unknown: nothing can be concluded.';

reset role;
