create or replace function ops.load_catalog(catalog jsonb)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set client_min_messages = warning
as $$
declare
  entry jsonb;
begin
  perform core.refuse_unknown(catalog, 'catalog', array['suppliers', 'games', 'products', 'offers']);
  for entry in select e from jsonb_array_elements(catalog -> 'suppliers') as e loop
    perform core.refuse_unknown(entry, 'supplier', array['code', 'base_url', 'token', 'protocol', 'push_secret',
      'token_url', 'client_id']);
    perform ops.upsert_supplier(code => entry ->> 'code', base_url => entry ->> 'base_url', token => entry ->> 'token',
      protocol => entry ->> 'protocol', push_secret => entry ->> 'push_secret', token_url => entry ->> 'token_url',
        client_id => entry ->> 'client_id');
  end loop;

  for entry in select e from jsonb_array_elements(catalog -> 'games') as e loop
    perform core.refuse_unknown(entry, 'game', array['slug', 'name', 'image_url']);
    perform ops.upsert_game(slug => entry ->> 'slug', name => entry ->> 'name', image_url => entry ->> 'image_url');
  end loop;

  for entry in select e from jsonb_array_elements(catalog -> 'products') as e loop
    perform core.refuse_unknown(entry, 'product', array['id', 'game_slug', 'name', 'price', 'currency', 'delivery_type',
      'delivery_fields', 'region', 'amount_value', 'max_quantity', 'in_stock']);
    perform core.require(entry ->> 'id' is not null,
      'a product of a catalog must have an id: without one each load would make another');
    perform ops.upsert_product(
      id => (entry ->> 'id')::int, game_slug => entry ->> 'game_slug', name => entry ->> 'name',
      price => (entry ->> 'price')::numeric, currency => entry ->> 'currency',
        delivery_type => entry ->> 'delivery_type',
      delivery_fields => nullif(entry -> 'delivery_fields', 'null'),
      region => case when entry ? 'region' then coalesce(entry ->> 'region', '') end,
      amount_value => case when entry ? 'amount_value' then coalesce((entry ->> 'amount_value')::numeric, 0) end,
      max_quantity => (entry ->> 'max_quantity')::int, in_stock => (entry ->> 'in_stock')::boolean);
  end loop;

  for entry in select e from jsonb_array_elements(catalog -> 'offers') as e loop
    perform core.refuse_unknown(entry, 'offer', array['product_id', 'supplier', 'sku', 'cost', 'priority', 'currency']);
    perform ops.upsert_offer(product_id => (entry ->> 'product_id')::int, supplier => entry ->> 'supplier',
      sku => entry ->> 'sku', cost => (entry ->> 'cost')::numeric, priority => coalesce((entry ->> 'priority')::int,
        100),
      currency => entry ->> 'currency');
  end loop;
end
$$;
comment on function ops.load_catalog is
  'Makes or changes what a document lists: {suppliers, games, products, offers}, arrays whose entries have the
arguments of ops.upsert_supplier, ops.upsert_game, ops.upsert_product and ops.upsert_offer. What it does not list
stays, also in a product that exists. All or nothing; loading it again changes nothing.';
