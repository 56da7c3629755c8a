create or replace function ops.upsert_product(
  id int, game_slug text, name text, price numeric, currency text, delivery_type text,
  delivery_fields jsonb default null, region text default null, amount_value numeric default null,
  max_quantity int default null, in_stock boolean default null
)
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  game_id constant int := (select g.id from supply.games g where g.slug = game_slug);
  before supply.products;
  after supply.products;
begin
  perform core.require(game_id is not null, format('there is no game %L', game_slug), 'no_data_found',
    'ops.games lists the games, ops.upsert_game creates one.');
  perform core.require(id is null or id between 1 and 2000000000, 'id must be from 1 to 2000000000');
  perform core.require(length(trim(name)) between 1 and 300, 'name must have 1 to 300 characters');
  perform core.require(core.decimals(currency) is not null,
    'currency must be three capital letters, such as RUB, of a currency with at most 2 decimals');
  perform core.require_price(price, currency);
  perform core.require(length(trim(delivery_type)) between 1 and 50, 'delivery_type must have 1 to 50 characters');
  perform core.require(region is null or region = '' or length(trim(region)) between 1 and 100,
    'region must have 1 to 100 characters; an empty text means anywhere');
  perform core.require(amount_value is null or amount_value = 0 or amount_value between 0.000001 and 1000000000000,
    'amount_value must be above 0; 0 means that there is none');

  -- No other transaction may take the same new id.
  perform pg_advisory_xact_lock(hashtextextended('product ids', 0));
  after.id := coalesce(id, (select max(p.id) + 1 from supply.products p), 1);
  select p.* into before from supply.products p where p.id = after.id for no key update;
  after := row(
    after.id, game_id, name, price, currency, nullif(coalesce(region, before.region), ''), delivery_type,
    core.fields_of_product(delivery_type, delivery_fields, before),
    nullif(coalesce(amount_value, before.amount_value), 0), coalesce(max_quantity, before.max_quantity, 100),
    coalesce(in_stock, before.in_stock, true), before.updated_at, before.min_margin);
  perform core.require(after.max_quantity >= 1, 'max_quantity must be at least 1');
  perform core.require(delivery_type <> 'key' or after.max_quantity <= 10000,
    'max_quantity must be at most 10000 where codes are delivered: an answer of a supplier holds no more');
  if after is not distinct from before then
    raise notice 'product % (%) has these values already: nothing changed', after.id, name;
    return after.id;
  end if;

  after.updated_at := now();
  insert into supply.products select after.*
  on conflict on constraint products_pkey do update set
    (game_id, name, price, currency, region, delivery_type, delivery_fields, amount_value, max_quantity, in_stock,
      updated_at)
    = (after.game_id, after.name, after.price, after.currency, after.region, after.delivery_type,
      after.delivery_fields, after.amount_value, after.max_quantity, after.in_stock, after.updated_at);
  -- Without this, a game that lost its only product, for all or for some accounts, would show no change.
  update supply.games g set updated_at = now()
  where g.id in (before.game_id, after.game_id)
    and (before.game_id, before.currency, before.delivery_type)
      is distinct from (after.game_id, after.currency, after.delivery_type);
  perform core.log_operator('upsert_product', 'product ' || after.id,
    to_jsonb(after) - array['id', 'game_id', 'updated_at', 'min_margin'] || jsonb_build_object('game_slug', game_slug));
  if before.id is null then
    raise notice 'created product % (%) at % %', after.id, name, price, currency;
  else
    raise notice 'changed product % (%): %', after.id, name, core.changed_columns(to_jsonb(before), to_jsonb(after));
  end if;
  return after.id;
end
$$;
comment on function ops.upsert_product is
  'Creates a product (null id: a new one) or changes one; returns its id. Null keeps the old value; region '''' and
amount_value 0 clear. delivery_type: id_only (top-up), key (codes) or other. delivery_fields: [{id, type: text|
number|select, label, required, placeholder, options}]; a new id_only product gets the player id, ''[]'': none.';
