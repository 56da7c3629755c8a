create or replace function ops.load_catalog(catalog jsonb)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set client_min_messages = warning
as $$
begin
  perform core.refuse_unknown(catalog, 'the catalog', array['suppliers', 'games', 'products', 'offers']);
  perform core.refuse_unknown(e, 'a supplier',
    array['code', 'base_url', 'token', 'protocol', 'push_secret', 'token_url', 'client_id'])
  from jsonb_array_elements(catalog -> 'suppliers') as e;
  perform ops.upsert_supplier(s.code, s.base_url, s.token, s.protocol, s.push_secret, s.token_url, s.client_id)
  from jsonb_to_recordset(catalog -> 'suppliers') as s (
    code text, base_url text, token text, protocol text, push_secret text, token_url text, client_id text);

  perform core.refuse_unknown(e, 'a game', array['slug', 'name', 'image_url'])
  from jsonb_array_elements(catalog -> 'games') as e;
  perform ops.upsert_game(g.slug, g.name, g.image_url)
  from jsonb_to_recordset(catalog -> 'games') as g (slug text, name text, image_url text);

  perform core.refuse_unknown(e, 'a product', array['id', 'game_slug', 'name', 'price', 'currency', 'delivery_type',
    'delivery_fields', 'region', 'amount_value', 'max_quantity', 'in_stock'])
  from jsonb_array_elements(catalog -> 'products') as e;
  perform core.require(e ->> 'id' is not null,
    'a product of a catalog must have an id: without one each load would make another')
  from jsonb_array_elements(catalog -> 'products') as e;
  -- Null clears a region or an amount; an absent one stays.
  perform ops.upsert_product(p.id, p.game_slug, p.name, p.price, p.currency, p.delivery_type,
    nullif(p.delivery_fields, 'null'), case when e ? 'region' then coalesce(p.region, '') end,
    case when e ? 'amount_value' then coalesce(p.amount_value, 0) end, p.max_quantity, p.in_stock)
  from jsonb_array_elements(catalog -> 'products') as e
  cross join lateral jsonb_to_record(e) as p (
    id int, game_slug text, name text, price numeric, currency text, delivery_type text, delivery_fields jsonb,
    region text, amount_value numeric, max_quantity int, in_stock boolean);

  perform core.refuse_unknown(e, 'an offer', array['product_id', 'supplier', 'sku', 'cost', 'priority', 'currency'])
  from jsonb_array_elements(catalog -> 'offers') as e;
  perform ops.upsert_offer(o.product_id, o.supplier, o.sku, o.cost, coalesce(o.priority, 100), o.currency)
  from jsonb_to_recordset(catalog -> 'offers') as o (
    product_id int, supplier text, sku text, cost numeric, priority int, currency text);
end
$$;
comment on function ops.load_catalog is
  'Creates or changes what a document lists: {suppliers, games, products, offers}, arrays whose entries have the
arguments of the ops.upsert_ functions. Other entries, and members that an entry omits, keep their values. All or
nothing; loading it again changes nothing.';
