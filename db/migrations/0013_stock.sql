set local role supply_owner;

create table supply.stock_batches (
  id bigint generated always as identity primary key,
  name text collate "C" not null check (length(name) between 1 and 200),
  supplier text collate "C" not null references supply.suppliers,
  sku text collate "C" not null check (length(sku) between 1 and 200),
  loaded_at timestamptz not null default now(),
  loaded_by text not null default session_user,
  unique (name, supplier, sku)
);
comment on table supply.stock_batches is 'Codes of our own that operators loaded together, for one sku.';
comment on column supply.stock_batches.id is 'A running number.';
comment on column supply.stock_batches.name is 'What operators call it: their name, else the running number.';
comment on column supply.stock_batches.supplier is 'The supplier of the protocol stock that sells it.';
comment on column supply.stock_batches.sku is 'The sku of the codes.';
comment on column supply.stock_batches.loaded_at is 'When its first codes were loaded.';
comment on column supply.stock_batches.loaded_by is 'The database login that loaded them.';

create table supply.stock_codes (
  id uuid primary key,
  place bigint generated always as identity,
  batch_id bigint not null references supply.stock_batches,
  supplier text collate "C" not null,
  sku text collate "C" not null,
  code text collate "C" check (length(code) between 1 and 30000),
  sell_before timestamptz not null default 'infinity',
  cost numeric(14, 2) check (cost >= 0),
  state text collate "C" not null check (state in ('unsealed', 'free', 'sold', 'withdrawn', 'duplicate')),
  item_id uuid,
  sold_at timestamptz,
  check ((state = 'sold') = (code is null)),
  check ((state = 'sold') = (item_id is not null)),
  check ((state = 'sold') = (sold_at is not null))
);
-- In the order in which they are sold. What was sold is in no index by its code: it stands in supply.item_keys.
create index stock_codes_free on supply.stock_codes (supplier, sku, sell_before, place) where state = 'free';
create unique index stock_codes_code on supply.stock_codes ((
  case when code like 'sealed:%' then split_part(code, ':', 4)
    when code like 'card:{%' then substr(code, 6)::json ->> 'code' else code end))
  where state in ('unsealed', 'free');
create index stock_codes_unsealed on supply.stock_codes (id) where state = 'unsealed';
create index stock_codes_duplicate on supply.stock_codes (batch_id) where state = 'duplicate';
create index stock_codes_batch on supply.stock_codes (batch_id, state);
create index stock_codes_sold on supply.stock_codes (supplier, sku, sold_at) where state = 'sold';
comment on table supply.stock_codes is
  'Codes of our own: each is sold once, to an item whose supplier has the protocol stock.';
comment on column supply.stock_codes.id is 'Its id; the code is sealed for it.';
comment on column supply.stock_codes.place is 'A running number, in the order of loading.';
comment on column supply.stock_codes.batch_id is 'The batch.';
comment on column supply.stock_codes.supplier is 'The supplier of the batch.';
comment on column supply.stock_codes.sku is 'The sku of the batch.';
comment on column supply.stock_codes.code is
  'The code with its parts (core.card_text), sealed where DATA_KEYS is set; null: it was sold, and its item has it.';
comment on column supply.stock_codes.sell_before is 'When it expires: from then on it is not sold.';
comment on column supply.stock_codes.cost is
  'What it cost, in the currency of the offer; null: the cost of the offer.';
comment on column supply.stock_codes.state is
  'unsealed (a worker seals it first), free, sold, withdrawn, or duplicate (another one, or an item, has this code).';
comment on column supply.stock_codes.item_id is 'The item that it was sold to.';
comment on column supply.stock_codes.sold_at is 'When it was sold.';

create table supply.stock_thresholds (
  supplier text collate "C" not null references supply.suppliers,
  sku text collate "C" not null,
  free int not null check (free >= 1),
  set_at timestamptz not null default now(),
  primary key (supplier, sku)
);
comment on table supply.stock_thresholds is 'Below how many free codes of a sku operators are alerted.';
comment on column supply.stock_thresholds.supplier is 'The supplier of the protocol stock.';
comment on column supply.stock_thresholds.sku is 'The sku.';
comment on column supply.stock_thresholds.free is 'The number of free codes.';
comment on column supply.stock_thresholds.set_at is 'When it was set.';

create type supply.code_line as (
  line int, id uuid, subject text, fault text, supplier text, sku text, card text, sell_before timestamptz,
  cost numeric, batch text
);
comment on type supply.code_line is
  'A line of an import of codes, or a code of ops.load_codes: why it is wrong, or what it adds to the stock.';

reset role;
