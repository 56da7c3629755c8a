create or replace function ops.upsert_product(
  id int, game_slug text, name text, price numeric, currency text, delivery_type text,
    delivery_fields jsonb default null,
  region text default null, amount_value numeric default null, max_quantity int default null,
    in_stock boolean default null
)
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  game_id int := (select g.id from supply.games g where g.slug = game_slug);
  fields jsonb;
  product_id int;
  before supply.products;
begin
  perform core.require(game_id is not null, format('there is no game %L', game_slug), 'no_data_found',
    'ops.games lists the games, ops.upsert_game makes one.');
  perform core.require(upsert_product.id is null or upsert_product.id between 1 and 2000000000,
    'id must be from 1 to 2000000000');
  perform core.require(length(trim(upsert_product.name)) between 1 and 300, 'name must have 1 to 300 characters');
  perform core.require(core.decimals(upsert_product.currency) is not null,
    'currency must be three capital letters, such as RUB, of a currency with at most 2 decimals');
  perform core.require_price(price, currency);
  perform core.require(length(trim(upsert_product.delivery_type)) between 1 and 50,
    'delivery_type must have 1 to 50 characters');
  perform core.require(region is null or region = '' or length(trim(region)) between 1 and 100,
    'region must have 1 to 100 characters; an empty text means anywhere');
  perform core.require(amount_value is null or amount_value = 0 or amount_value between 0.000001 and 1000000000000,
    'amount_value must be above 0; 0 means that there is none');

  product_id := core.take_product_id(upsert_product.id);
  select p.* into before from supply.products p where p.id = product_id for no key update;
  fields := core.fields_of_product(delivery_type, delivery_fields, before);
  region := nullif(coalesce(region, before.region), '');
  amount_value := nullif(coalesce(amount_value, before.amount_value), 0);
  max_quantity := coalesce(max_quantity, before.max_quantity, 100);
  in_stock := coalesce(in_stock, before.in_stock, true);
  perform core.require(max_quantity >= 1, 'max_quantity must be at least 1');
  perform core.require(delivery_type <> 'key' or max_quantity <= 10000,
    'max_quantity must be at most 10000 where codes are delivered: an answer of a supplier holds no more');
  insert into supply.products as p
    (id, game_id, name, price, currency, region, delivery_type, delivery_fields, amount_value, max_quantity, in_stock)
  values
    (product_id, game_id, upsert_product.name, upsert_product.price, upsert_product.currency, upsert_product.region,
     upsert_product.delivery_type, fields, upsert_product.amount_value, upsert_product.max_quantity,
       upsert_product.in_stock)
  on conflict on constraint products_pkey do update set
    game_id = excluded.game_id, name = excluded.name, price = excluded.price, currency = excluded.currency,
    region = excluded.region, delivery_type = excluded.delivery_type, delivery_fields = excluded.delivery_fields,
    amount_value = excluded.amount_value, max_quantity = excluded.max_quantity, in_stock = excluded.in_stock,
      updated_at = now()
  where (p.game_id, p.name, p.price, p.currency, p.region, p.delivery_type, p.delivery_fields,
      p.amount_value, p.max_quantity, p.in_stock)
    is distinct from (excluded.game_id, excluded.name, excluded.price, excluded.currency, excluded.region,
      excluded.delivery_type, excluded.delivery_fields, excluded.amount_value, excluded.max_quantity,
        excluded.in_stock);
  if found then
    -- A game that lost the product, wholly or for some accounts, may have no other product whose time tells it.
    update supply.games g set updated_at = now()
    where g.id in (before.game_id, game_id)
      and (before.game_id, before.currency, before.delivery_type)
        is distinct from (game_id, upsert_product.currency, upsert_product.delivery_type);
    perform core.log_operator('upsert_product', 'product ' || product_id, jsonb_build_object(
      'game_slug', game_slug, 'name', name, 'price', price, 'currency', currency, 'delivery_type', delivery_type,
      'delivery_fields', fields, 'region', region, 'amount_value', amount_value, 'max_quantity', max_quantity,
        'in_stock', in_stock));
    if before.id is null then
      raise notice 'made product % (%) at % %', product_id, name, price, currency;
    else
      raise notice 'changed product % (%): %', product_id, name, core.changed_columns(to_jsonb(before),
        (select to_jsonb(p) from supply.products p where p.id = product_id));
    end if;
  else
    raise notice 'product % (%) was like this before: nothing changed', product_id, name;
  end if;
  return product_id;
end
$$;
comment on function ops.upsert_product is
  'Makes a product (null id: a new one) or changes one; returns its id. Omitted or null: the old value stays. region
'''' and amount_value 0 clear. delivery_type: id_only (top-up), key (codes), or free text. delivery_fields: [{id,
type: text|number|select, label, required, placeholder, options}]; of a new id_only product the player id; ''[]'':
none.';
