set local role supply_owner;

create table supply.games (
  id int generated always as identity primary key,
  slug text collate "C" not null unique check (slug ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$'),
  name text not null check (length(name) between 1 and 200),
  image_url text,
  updated_at timestamptz not null default now()
);
comment on table supply.games is 'The games that products belong to.';
comment on column supply.games.id is 'The game''s number.';
comment on column supply.games.slug is 'The game''s name in URLs.';
comment on column supply.games.name is 'The game''s name for people.';
comment on column supply.games.image_url is 'A picture of the game.';
comment on column supply.games.updated_at is 'When the row last changed, by the time of the commit.';

create table supply.products (
  id int primary key check (id > 0),
  game_id int not null references supply.games,
  name text not null check (length(name) between 1 and 300),
  price numeric(14,2) not null check (price > 0),
  currency text collate "C" not null check (currency ~ '^[A-Z]{3}$'),
  region text,
  delivery_type text not null check (length(delivery_type) between 1 and 50),
  delivery_fields jsonb not null default '[]' check (jsonb_typeof(delivery_fields) = 'array'),
  amount_value numeric,
  max_quantity int not null default 100 check (max_quantity >= 1),
  in_stock boolean not null default true,
  updated_at timestamptz not null default now(),
  min_margin numeric(5, 4) check (min_margin between -1 and 1),
  image_url text check (length(image_url) between 1 and 2000),
  platform text check (length(platform) between 1 and 100),
  countries text[] check (cardinality(countries) > 0)
);
create index products_game on supply.products (game_id);
comment on table supply.products is 'What partners can order.';
comment on column supply.products.id is 'The productId of orders.';
comment on column supply.products.game_id is 'The game it belongs to.';
comment on column supply.products.name is 'The name for people; the slug derives from it.';
comment on column supply.products.price is 'Wholesale unit price.';
comment on column supply.products.currency is 'ISO 4217 code of the price; only accounts in it see the product.';
comment on column supply.products.region is 'Where it can be used; null: anywhere.';
comment on column supply.products.delivery_type is
  'id_only: a top-up to a player id. key: delivers codes. Other values are free text.';
comment on column supply.products.delivery_fields is
  'The fields that deliveryData must have: [{id, type, label, required, placeholder, options?}].';
comment on column supply.products.amount_value is 'The fixed amount that one unit holds, if it has one.';
comment on column supply.products.max_quantity is 'The most units one order item may have.';
comment on column supply.products.in_stock is 'Whether it can be ordered now, if it has a usable offer too.';
comment on column supply.products.updated_at is
  'When the product, or what makes it available, last changed, by the time of the commit.';
comment on column supply.products.min_margin is
  'The least part of the price that has to remain after the cost, as 0.05 for 5 per cent; offers below are not '
  'used. null: as supply.offer_rules.';
comment on column supply.products.image_url is 'A picture for shops, at http or https; the service never reads it.';
comment on column supply.products.platform is 'Where the product is used, such as Steam.';
comment on column supply.products.countries is
  'The countries in which it works, by ISO 3166 alpha-2, as the operator lists them; null: everywhere.';

create table supply.product_texts (
  id bigint generated always as identity unique,
  product_id int not null references supply.products,
  locale text collate "C" not null check (locale ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
  description text not null check (octet_length(description) <= 8192),
  redeem text check (octet_length(redeem) <= 8192),
  terms text check (octet_length(terms) <= 8192),
  updated_at timestamptz not null default now(),
  supplier text collate "C",
  primary key (product_id, locale)
);
comment on table supply.product_texts is 'What a shop shows about a product: plain text or Markdown, never HTML.';
comment on column supply.product_texts.id is 'In the order in which the locales came: the smallest one is the oldest.';
comment on column supply.product_texts.product_id is 'The product.';
comment on column supply.product_texts.locale is 'The language, with a script or a region where it has one: ru, pt-BR.';
comment on column supply.product_texts.description is 'What the product is.';
comment on column supply.product_texts.redeem is 'How the buyer uses it; null: nothing is known.';
comment on column supply.product_texts.terms is 'The conditions under which it is sold; null: there are none.';
comment on column supply.product_texts.updated_at is 'When the texts last changed.';
comment on column supply.product_texts.supplier is
  'The supplier whose list they are from; null: an operator wrote them.';

create table supply.offer_rules (
  id boolean primary key default true check (id),
  min_margin numeric(5, 4) check (min_margin between -1 and 1)
);
comment on table supply.offer_rules is 'The rules for all offers: one row.';
comment on column supply.offer_rules.id is 'There is one row.';
comment on column supply.offer_rules.min_margin is
  'supply.products.min_margin of the products that have none of their own; null: any.';
insert into supply.offer_rules default values;

create table supply.rates (
  from_currency text collate "C" not null check (from_currency ~ '^[A-Z]{3}$'),
  to_currency text collate "C" not null check (to_currency ~ '^[A-Z]{3}$'),
  rate numeric(20, 10) not null check (rate > 0),
  valid_until timestamptz not null,
  set_at timestamptz not null default now(),
  is_end_noted boolean not null default false,
  primary key (from_currency, to_currency),
  check (from_currency <> to_currency)
);
comment on table supply.rates is
  'By what the costs of suppliers are converted. Without a valid rate an offer in another currency is not used.';
comment on column supply.rates.from_currency is 'The currency of a cost.';
comment on column supply.rates.to_currency is 'The currency of a product.';
comment on column supply.rates.rate is 'How many units of to_currency one unit of from_currency is.';
comment on column supply.rates.valid_until is 'Until when it is used.';
comment on column supply.rates.set_at is 'When it was set.';
comment on column supply.rates.is_end_noted is
  'Whether the products that became unavailable by its end show as changed.';

create table supply.reasons (
  error_code text collate "C" primary key check (error_code ~ '^[A-Z][A-Z0-9_]{0,63}$'),
  reason text not null
);
comment on table supply.reasons is 'Buyer-safe Russian texts for the error codes of suppliers.';
comment on column supply.reasons.error_code is 'The supplier''s errorCode.';
comment on column supply.reasons.reason is 'What a buyer may read.';
insert into supply.reasons (error_code, reason) values
  ('CANCELLED', 'Заказ отменён.'),
  ('PLAYER_NOT_FOUND', 'Игрок с указанным идентификатором не найден. Проверьте данные и оформите заказ заново.'),
  ('INVALID_PLAYER_ID', 'Идентификатор игрока указан неверно. Проверьте данные и оформите заказ заново.'),
  ('INVALID_SERVER', 'Сервер или зона игрока указаны неверно. Проверьте данные и оформите заказ заново.'),
  ('REGION_MISMATCH', 'Товар недоступен в регионе этого игрового аккаунта.'),
  ('ACCOUNT_BANNED', 'Игровой аккаунт заблокирован, пополнение невозможно.'),
  ('ACCOUNT_RESTRICTED', 'Для этого игрового аккаунта пополнение ограничено.'),
  ('PURCHASE_LIMIT', 'Для этого игрового аккаунта превышен лимит покупок.'),
  ('OUT_OF_STOCK', 'Товар временно закончился. Попробуйте оформить заказ позже.'),
  ('PRODUCT_DISABLED', 'Товар снят с продажи.'),
  ('PRICE_CHANGED', 'Цена товара изменилась. Оформите заказ заново.'),
  ('DUPLICATE_ORDER', 'Такой заказ уже был оформлен.'),
  ('MAINTENANCE', 'На стороне игры ведутся технические работы. Попробуйте позже.'),
  ('SUPPLIER_ERROR', 'Не удалось выполнить заказ. Средства возвращены на баланс.'),
  ('TIMEOUT', 'Заказ не был выполнен вовремя. Средства возвращены на баланс.');

reset role;
