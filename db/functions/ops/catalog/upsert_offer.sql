create or replace function ops.upsert_offer(
  product_id anycompatible, supplier text, sku text, cost numeric default null, priority int default 100,
  currency text default null
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product constant supply.products := core.lock_product(product_id);
  product_ids constant int[] := array[product.id];
  were_offered constant int[] := core.lock_offered(product_ids);
  before supply.offers;
  is_same_sku boolean;
begin
  perform core.require(exists (select from supply.suppliers s where s.code = upsert_offer.supplier),
    format('there is no supplier %L', supplier), 'no_data_found',
    'ops.suppliers lists the suppliers, ops.upsert_supplier creates one.');
  perform core.require(length(trim(sku)) between 1 and 200, 'sku must have 1 to 200 characters');
  perform core.require(priority is not null, 'priority must be a number');
  perform core.require(currency is null or core.decimals(currency) is not null,
    'currency must be a code of three capitals, of a currency with at most 2 decimals; null: that of the product');
  perform core.require(
    cost is null or cost = 0 or core.is_money(cost, coalesce(currency, product.currency)),
    'cost must be from 0 to 100000000000, with at most 2 decimals, or as many as its currency has');
  select o.* into before from supply.offers o
  where o.product_id = product.id and o.supplier = upsert_offer.supplier for no key update;
  perform core.require(before.max_cost is null
      or coalesce(before.currency, product.currency) = coalesce(currency, product.currency),
    'the offer has a max_cost in another currency', 'object_not_in_prerequisite_state', format('Remove it with '
      'select ops.set_max_cost(%s, %L, null), and set it again afterwards.', product.id, supplier));
  if (before.sku, before.cost, before.priority, before.currency)
    is not distinct from (sku, cost, priority, currency) then
    raise notice 'supplier % offers product % with these values already: nothing changed', supplier, product.id;
    return;
  end if;

  -- The supplier's list described the previous sku.
  is_same_sku := before.sku = sku;
  insert into supply.offers as o (product_id, supplier, sku, cost, priority, currency)
  values (product.id, upsert_offer.supplier, upsert_offer.sku, upsert_offer.cost, upsert_offer.priority,
    upsert_offer.currency)
  on conflict on constraint offers_pkey do update set
    sku = excluded.sku, cost = excluded.cost, priority = excluded.priority, currency = excluded.currency,
    available = o.available or not is_same_sku, stock = case when is_same_sku then o.stock end,
    problem = case when is_same_sku then o.problem end, synced_at = case when is_same_sku then o.synced_at end;
  perform core.note_offered(product_ids, were_offered);
  perform core.log_operator('upsert_offer', format('product %s at %s', product.id, supplier), jsonb_build_object(
    'sku', sku, 'cost', cost, 'priority', priority) || jsonb_strip_nulls(jsonb_build_object('currency', currency)));
  raise notice 'supplier % offers product % (%) as %, priority %, at a cost of %', supplier, product.id, product.name,
    sku, priority, coalesce(cost || ' ' || coalesce(currency, product.currency), 'an unknown amount');
end
$$;
comment on function ops.upsert_offer is
  'Creates or changes a supplier''s offer of a product: sku, cost of one unit in currency (null: the product''s) and
priority. The smallest priority number is used first, among equals the cheapest. The supplier''s list replaces cost and
currency. Items under way keep theirs.';
