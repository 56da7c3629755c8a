set local role supply_owner;

create table supply.imports (
  id bigint generated always as identity primary key,
  kind text collate "C" not null,
  operator text not null default session_user,
  loaded_at timestamptz not null default now(),
  transaction_id xid8 not null default pg_current_xact_id(),
  state text not null default 'loaded' check (state in ('loaded', 'applied', 'discarded')),
  lines int not null default 0 check (lines >= 0),
  new int not null default 0,
  changed int not null default 0,
  unchanged int not null default 0,
  wrong int not null default 0,
  risky int not null default 0,
  ended_at timestamptz,
  check ((state = 'loaded') = (ended_at is null))
);
create index imports_time on supply.imports (loaded_at);
comment on table supply.imports is 'Lists that operators loaded from files: what one transaction inserted of one kind.';
comment on column supply.imports.id is 'A running number.';
comment on column supply.imports.kind is 'What its lines are: products, prices, codes, supplier_statement.';
comment on column supply.imports.operator is 'The database login that loaded it; no other can apply it.';
comment on column supply.imports.loaded_at is 'When its transaction began.';
comment on column supply.imports.transaction_id is 'The transaction that loaded it: its later statements add lines.';
comment on column supply.imports.state is 'loaded (changed nothing yet), applied or discarded.';
comment on column supply.imports.lines is 'How many lines it had when they were last counted.';
comment on column supply.imports.new is 'How many of them were new then.';
comment on column supply.imports.changed is 'How many of them changed something then.';
comment on column supply.imports.unchanged is 'How many of them changed nothing then.';
comment on column supply.imports.wrong is 'How many of them were wrong then.';
comment on column supply.imports.risky is 'How many of them had a risk then.';
comment on column supply.imports.ended_at is 'When it was applied or discarded; null: neither.';

create table supply.import_lines (
  import_id bigint not null references supply.imports on delete cascade,
  id bigint generated always as identity,
  given jsonb not null check (jsonb_typeof(given) = 'object'),
  primary key (import_id, id)
);
comment on table supply.import_lines is 'The lines of imports, as the files had them.';
comment on column supply.import_lines.import_id is 'The import.';
comment on column supply.import_lines.id is 'A running number: the lines of an import are in its order.';
comment on column supply.import_lines.given is
  'The texts of its columns, without blanks at their ends and without empty ones; of codes, '
  'what core.staged_code keeps.';

create type supply.line_change as enum ('new', 'changed', 'unchanged', 'wrong');
comment on type supply.line_change is 'What a line of an import means for what is there now.';

create type supply.judged_line as (
  line int, subject text, change supply.line_change, detail text, risks supply.risk_word[]
);
comment on type supply.judged_line is
  'What a line of an import means now: its place from 1, what it is about, what changes or is wrong, and the risks.';

create type supply.product_line as (
  line int, subject text, fault text, supplier text, sku text,
  product_before supply.products, product supply.products, offer_before supply.offers, offer supply.offers
);
comment on type supply.product_line is
  'A line of an import of products: why it is wrong, or the product and the offer as they are and as they would be. A '
  'wrong line has the product that it means, if there is one; offer is null where the line names no supplier.';

create type supply.price_line as (
  line int, subject text, fault text, before supply.list_prices, after supply.list_prices
);
comment on type supply.price_line is
  'A line of an import of prices: why it is wrong, or the price of the list as it is (price null: none) and as it '
  'would be.';

insert into supply.housekeeping (what) values ('imports'), ('statements');

reset role;
