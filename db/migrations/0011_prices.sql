set local role supply_owner;

create type supply.price_tier as (min_quantity int, price numeric);
comment on type supply.price_tier is 'A unit price, from this quantity of one item on.';

create type supply.product_floor as (product_id int, min_price numeric);
comment on type supply.product_floor is
  'The lowest unit price at which some offer of a product may be used; without such an offer there is none.';

create table supply.price_lists (
  id int generated always as identity primary key,
  name text collate "C" not null unique check (length(name) between 1 and 100 and name !~ '^[0-9]+$'),
  discount numeric(7, 6) not null default 0 check (discount >= 0 and discount < 1),
  updated_at timestamptz not null default now()
);
comment on table supply.price_lists is 'Lists of prices that operators give to partners.';
comment on column supply.price_lists.id is 'The list''s number.';
comment on column supply.price_lists.name is 'The list''s name for operators; never a number.';
comment on column supply.price_lists.discount is
  'The part that is taken off the prices of products without a price of their own in the list, as 0.05 for 5 per cent.';
comment on column supply.price_lists.updated_at is 'When the discount last changed, by the time of the commit.';

create table supply.list_prices (
  list_id int not null references supply.price_lists,
  product_id int not null references supply.products,
  min_quantity int not null check (min_quantity >= 1),
  price numeric(14,2) check (price > 0),
  updated_at timestamptz not null default now(),
  primary key (list_id, product_id, min_quantity)
) with (fillfactor = 80);
create index list_prices_product on supply.list_prices (product_id);
comment on table supply.list_prices is 'The prices of single products in a list.';
comment on column supply.list_prices.list_id is 'The list.';
comment on column supply.list_prices.product_id is 'The product.';
comment on column supply.list_prices.min_quantity is 'The price holds for items of at least so many units.';
comment on column supply.list_prices.price is
  'The unit price, in the product''s currency; null: removed. The row stays, because its removal changed the price.';
comment on column supply.list_prices.updated_at is 'When the price last changed, by the time of the commit.';

alter table supply.accounts
  add column list_id int references supply.price_lists,
  add column list_set_at timestamptz;
create index accounts_list on supply.accounts (list_id) where list_id is not null;
comment on column supply.accounts.list_id is 'The list of its prices; null: it pays the products'' prices.';
comment on column supply.accounts.list_set_at is
  'When it last got another list, or none, by the time of the commit; null: never.';

-- A partner asks for what changed since its last read, of prices, products and games. A time that is taken at the
-- commit, one commit after the other, is never older than a change that somebody has read before.
create function supply.stamp_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('times of changes', 0));
  case tg_table_name
    when 'products' then
      update supply.products p set updated_at = clock_timestamp() where p.id = new.id and p.updated_at = now();
    when 'games' then
      update supply.games g set updated_at = clock_timestamp() where g.id = new.id and g.updated_at = now();
    when 'price_lists' then
      update supply.price_lists l set updated_at = clock_timestamp() where l.id = new.id;
    when 'list_prices' then
      update supply.list_prices p set updated_at = clock_timestamp()
      where p.list_id = new.list_id and p.product_id = new.product_id and p.min_quantity = new.min_quantity;
    when 'accounts' then
      update supply.accounts a set list_set_at = clock_timestamp() where a.id = new.id;
  end case;
  return null;
end
$$;
comment on function supply.stamp_change() is
  'Trigger function: writes the time of the commit to a row that changes what partners read of the catalog.';
-- Whatever changes a product or game sets its updated_at to now().
create constraint trigger stamp_change after insert or update on supply.products deferrable initially deferred
  for each row when (new.updated_at = now()) execute function supply.stamp_change();
create constraint trigger stamp_change after insert or update on supply.games deferrable initially deferred
  for each row when (new.updated_at = now()) execute function supply.stamp_change();
create constraint trigger stamp_insert after insert on supply.price_lists deferrable initially deferred
  for each row execute function supply.stamp_change();
create constraint trigger stamp_update after update of discount on supply.price_lists deferrable initially deferred
  for each row execute function supply.stamp_change();
create constraint trigger stamp_insert after insert on supply.list_prices deferrable initially deferred
  for each row execute function supply.stamp_change();
create constraint trigger stamp_update after update of price on supply.list_prices deferrable initially deferred
  for each row execute function supply.stamp_change();
create constraint trigger stamp_update after update of list_id on supply.accounts deferrable initially deferred
  for each row execute function supply.stamp_change();

reset role;
