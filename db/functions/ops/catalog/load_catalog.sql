-- Roles: trade
create or replace function ops.load_catalog(catalog jsonb, allow text[] default '{}')
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  games supply.games[];
  product_ids int[];
  priced_ids int[];
  were_offered supply.product_floor[];
  changed_products supply.products[];
  changed_offers supply.offers[];
  losses supply.loss[];
  risks supply.risk[];
  products int;
  offers int;
  texts int;
  ended text;
begin
  perform core.check_allow(allow);
  perform core.refuse_unknown(catalog, 'the catalog', array['suppliers', 'games', 'products', 'offers', 'texts']);
  perform core.refuse_unknown(e, 'a supplier',
    array['code', 'base_url', 'token', 'protocol', 'push_secret', 'token_url', 'client_id'])
  from jsonb_array_elements(catalog -> 'suppliers') as e;
  perform core.refuse_unknown(e, 'a game', array['slug', 'name', 'image_url'])
  from jsonb_array_elements(catalog -> 'games') as e;
  perform core.refuse_unknown(e, 'a product', array['id', 'game_slug', 'name', 'price', 'currency', 'delivery_type',
    'delivery_fields', 'region', 'amount_value', 'max_quantity', 'in_stock', 'image_url', 'platform', 'countries'])
  from jsonb_array_elements(catalog -> 'products') as e;
  perform core.require(e ->> 'id' is not null,
    'a product of a catalog must have an id: without one each load would make another')
  from jsonb_array_elements(catalog -> 'products') as e;
  perform core.refuse_unknown(e, 'an offer', array['product_id', 'supplier', 'sku', 'cost', 'priority',
    'currency', 'recipient'])
  from jsonb_array_elements(catalog -> 'offers') as e;
  perform core.refuse_unknown(e, 'a text', array['product_id', 'locale', 'description', 'redeem', 'terms'])
  from jsonb_array_elements(catalog -> 'texts') as e;
  perform core.require(e ? 'description',
    'a text of a catalog must have a description; null removes the texts of the product in its locale')
  from jsonb_array_elements(catalog -> 'texts') as e;
  perform core.require(false, format('product %s: countries must be an array, such as ["DE", "AT"]', e ->> 'id'))
  from jsonb_array_elements(catalog -> 'products') as e
  where jsonb_typeof(e -> 'countries') not in ('array', 'null');
  perform core.refuse_wrong_values(catalog -> 'products', 'product', 'id',
    '{"id": "int", "price": "numeric", "amount_value": "numeric", "max_quantity": "int", "in_stock": "boolean"}');
  perform core.refuse_wrong_values(catalog -> 'offers', 'offer', 'product_id',
    '{"product_id": "int", "cost": "numeric", "priority": "int"}');
  perform core.refuse_wrong_values(catalog -> 'texts', 'text', 'product_id', '{"product_id": "int"}');
  perform core.require(false, format('the catalog lists %s twice', entry.named))
  from (
    select 'game ' || (e ->> 'slug') as named from jsonb_array_elements(catalog -> 'games') as e
    union all
    select 'product ' || (e ->> 'id') from jsonb_array_elements(catalog -> 'products') as e
    union all
    select format('the offer of product %s at %s', e ->> 'product_id', e ->> 'supplier')
    from jsonb_array_elements(catalog -> 'offers') as e
    union all
    select format('the text of product %s in %s', e ->> 'product_id', e ->> 'locale')
    from jsonb_array_elements(catalog -> 'texts') as e) as entry
  group by entry.named having count(*) > 1;

  perform ops.upsert_supplier(s.code, s.base_url, s.token, s.protocol, s.push_secret, s.token_url, s.client_id)
  from jsonb_to_recordset(catalog -> 'suppliers') as s (
    code text, base_url text, token text, protocol text, push_secret text, token_url text, client_id text);

  -- Each part is compared before it is locked. So a row that does not change is never locked.
  games := array(
    select after
    from core.games_of_catalog(catalog -> 'games') as after
    left join supply.games before on before.id = after.id
    where after is distinct from before);
  -- As in ops.upsert_product: no other transaction creates products or marks games meanwhile.
  perform pg_advisory_xact_lock(hashtextextended('product ids', 0)) where cardinality(games) > 0;
  perform ops.upsert_game(g.slug, g.name, g.image_url) from unnest(games) as g;

  priced_ids := array(
    select after.id
    from core.products_of_catalog(catalog -> 'products') as after
    left join supply.products before on before.id = after.id
    where after is distinct from before);
  perform pg_advisory_xact_lock(hashtextextended('product ids', 0)) where cardinality(priced_ids) > 0;
  perform 1 from supply.products p where p.id = any (priced_ids) order by p.id for no key update;
  changed_products := array(
    select after from core.products_of_catalog(catalog -> 'products') as after where after.id = any (priced_ids));
  losses := core.losses(priced_ids);
  risks := core.risks_of_products(changed_products);
  ended := core.ended_prices(changed_products);
  products := core.write_products(changed_products, 'load_catalog');

  product_ids := array(
    select after.product_id
    from core.offers_of_catalog(catalog -> 'offers') as after
    left join supply.offers before on before.product_id = after.product_id and before.supplier = after.supplier
    where after is distinct from before);
  were_offered := core.lock_offered(product_ids);
  changed_offers := array(
    select after from core.offers_of_catalog(catalog -> 'offers') as after where after.product_id = any (product_ids));
  losses := losses || core.losses(array(select unnest(product_ids) except select unnest(priced_ids)));
  risks := risks || core.risks_of_offers(changed_offers);
  offers := core.write_offers(changed_offers, were_offered, 'load_catalog');
  perform core.require_recipients(priced_ids);
  perform core.refuse_risks(
    risks || core.risks_of_losses(losses, core.losses(priced_ids || product_ids)), allow);

  perform ops.set_product_text(t.product_id, t.locale, t.description, t.redeem, t.terms)
  from core.texts_of_catalog(catalog -> 'texts') as t;
  get diagnostics texts = row_count;

  if cardinality(games) + products + offers + texts = 0 then
    raise notice 'the catalog has these values already: nothing changed';
  else
    raise notice 'the catalog is loaded: changed % of % products, % of % offers, % of % games%',
      products, coalesce(jsonb_array_length(catalog -> 'products'), 0), offers,
      coalesce(jsonb_array_length(catalog -> 'offers'), 0), cardinality(games),
      coalesce(jsonb_array_length(catalog -> 'games'), 0),
      concat(', ' || texts || ' of ' || jsonb_array_length(catalog -> 'texts') || ' texts', '; ' || ended);
  end if;
end
$$;
comment on function ops.load_catalog is
  'Creates or changes what a document lists: {suppliers, games, products, offers, texts}, arrays whose entries have the
arguments of the ops.upsert_ functions, ops.set_product_details and set_product_text. Other entries, and members that an
entry omits, keep their values. All or nothing, no entry twice; locks only what changes. allow: as ops.upsert_product.';
