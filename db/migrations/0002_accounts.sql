set local role supply_owner;

create table supply.accounts (
  id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 200),
  kind text not null default 'supply' check (kind in ('supply', 'storefront')),
  mode text not null default 'live' check (mode in ('live', 'test')),
  active boolean not null default true,
  currency text collate "C" not null check (currency ~ '^[A-Z]{3}$'),
  balance numeric(14,2) not null default 0 check (balance >= 0),
  low_balance_threshold numeric(14,2) not null default 0 check (low_balance_threshold >= 0),
  last_seq bigint not null default 0 check (last_seq >= 0),
  created_at timestamptz not null default now()
) with (fillfactor = 50);
comment on table supply.accounts is 'The partners and storefronts that hold API keys, each with one prepaid balance.';
comment on column supply.accounts.id is 'The account number, as operators use it.';
comment on column supply.accounts.name is 'A name for operators.';
comment on column supply.accounts.kind is 'supply: may use the partner endpoints. storefront: gets their 403.';
comment on column supply.accounts.mode is 'test opens the simulation endpoints; orders are real in both modes.';
comment on column supply.accounts.active is 'An inactive account''s keys get 401.';
comment on column supply.accounts.currency is 'ISO 4217 code of the balance; only products in this currency are shown.';
comment on column supply.accounts.balance is
  'What may still be spent; always the balance_after of the account''s newest ledger row.';
comment on column supply.accounts.low_balance_threshold is
  'At or below this balance lowBalance is true for the partner.';
comment on column supply.accounts.last_seq is 'The seq of the account''s newest ledger row.';
comment on column supply.accounts.created_at is 'When the account was made.';

create table supply.api_keys (
  id bigint generated always as identity primary key,
  account_id bigint not null references supply.accounts,
  key_hash bytea not null unique check (length(key_hash) = 32),
  prefix text not null,
  last4 text not null,
  scope text not null default 'full' check (scope in ('full', 'public')),
  starts_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  allowed_origins text[],
  allowed_ips cidr[],
  rotated_from bigint references supply.api_keys,
  first_key_id bigint references supply.api_keys,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  label text check (length(label) between 1 and 100)
);
create index api_keys_account on supply.api_keys (account_id);
comment on table supply.api_keys is 'API keys; only their hashes are kept.';
comment on column supply.api_keys.id is 'The key number, as operators use it.';
comment on column supply.api_keys.account_id is 'The account that the key spends.';
comment on column supply.api_keys.key_hash is 'SHA-256 of the whole key.';
comment on column supply.api_keys.prefix is 'The key''s prefix, for people; never used for look-ups.';
comment on column supply.api_keys.last4 is 'The key''s last four characters, for people.';
comment on column supply.api_keys.scope is 'full, or public: a key for public reads, refused on supply endpoints.';
comment on column supply.api_keys.starts_at is
  'The key does not work before; later than created_at where a rotation was scheduled.';
comment on column supply.api_keys.expires_at is 'The key does not work from then on; null: no end.';
comment on column supply.api_keys.revoked_at is 'When the key was revoked; null: it was not.';
comment on column supply.api_keys.allowed_origins is
  'Allowed Origin values: host, *.host or whole origin, in lower case and without default ports; null: any.';
comment on column supply.api_keys.allowed_ips is 'Networks from which the key may be used; null: any.';
comment on column supply.api_keys.rotated_from is 'The key that this one replaces.';
comment on column supply.api_keys.first_key_id is
  'The first key of the line of replacements; null: this one. A spending limit belongs to the line.';
comment on column supply.api_keys.created_at is 'When the key was issued.';
comment on column supply.api_keys.last_used_at is 'When the key was last used, to the minute.';
comment on column supply.api_keys.label is 'What operators call the key, such as who has it; null: nothing.';

create table supply.spending_limits (
  account_id bigint not null references supply.accounts,
  key_id bigint references supply.api_keys,
  per text collate "C" not null check (per in ('hour', 'day')),
  amount numeric(14,2) not null check (amount >= 0),
  window_start timestamptz not null,
  spent numeric(16,2) not null check (spent >= 0),
  constraint spending_limits_key unique nulls not distinct (account_id, key_id, per)
) with (fillfactor = 50);
comment on table supply.spending_limits is
  'What the orders of an account, or of one of its keys, may cost in an hour or a day (UTC). Changed under the lock of '
  'the account.';
comment on column supply.spending_limits.account_id is 'The account.';
comment on column supply.spending_limits.key_id is
  'The first key of the line of replacements that the limit holds for; null: all keys of the account.';
comment on column supply.spending_limits.per is 'hour or day, in UTC.';
comment on column supply.spending_limits.amount is 'What may be spent in each, in the account''s currency.';
comment on column supply.spending_limits.window_start is 'The hour or day that spent counts.';
comment on column supply.spending_limits.spent is 'What its orders cost; refunds give nothing back.';

create table supply.rate_limits (
  network cidr primary key,
  per_minute int not null check (per_minute > 0)
);
comment on table supply.rate_limits is
  'Request budgets that operators agreed for networks; the narrowest network that holds an address counts.';
comment on column supply.rate_limits.network is 'The network.';
comment on column supply.rate_limits.per_minute is 'Requests per window of 60 s for each client in it.';

create type supply.window_kind as enum ('requests', 'pushes', 'redeliveries', 'samples', 'simulated orders');
comment on type supply.window_kind is 'What is limited to so many a minute: requests by client, repeated pushes by '
  'supplier, the rest by account.';

create unlogged table supply.rate_windows (
  kind supply.window_kind,
  subject text collate "C",
  started_at timestamptz not null,
  hits_before int not null,
  hits int not null,
  per_minute int not null,
  primary key (kind, subject)
) with (fillfactor = 50);
comment on table supply.rate_windows is
  'How much of each kind a subject had in its present window of 60 s. Unlogged: a crash forgives.';
comment on column supply.rate_windows.kind is 'What is counted.';
comment on column supply.rate_windows.subject is
  'The IPv4 address or the /64 of an IPv6 address, the supplier, or the account.';
comment on column supply.rate_windows.started_at is 'When the window of 60 s began.';
comment on column supply.rate_windows.hits_before is 'The hits before the last count.';
comment on column supply.rate_windows.hits is 'The hits in the window; what was refused for its number is not counted.';
comment on column supply.rate_windows.per_minute is 'How many the last count allowed.';

reset role;
