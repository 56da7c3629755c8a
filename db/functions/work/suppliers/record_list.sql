create or replace function work.record_list(supplier text, lease_token uuid, entries jsonb)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  by_sku jsonb;
  product_ids int[];
  were_offered int[];
begin
  perform 1 from supply.supplier_syncs y join supply.suppliers s on s.code = y.supplier
  where y.supplier = record_list.supplier and y.lease_token = record_list.lease_token and y.lease_expires_at > now() and s.active for update of y;
  if not found then
    return false;
  end if;
  select coalesce(jsonb_object_agg(e ->> 'sku', e), '{}') into by_sku from jsonb_array_elements(entries) as e;

  product_ids := array(
    select o.product_id from supply.offers o join supply.products p on p.id = o.product_id
    cross join lateral (select jsonb_build_object('cost', o.cost, 'currency', o.currency, 'stock', o.stock, 'available', o.available, 'problem', o.problem) as is) as old
    where o.supplier = record_list.supplier and by_sku ? o.sku
      and core.changed_terms(old.is, core.listed_terms(by_sku -> o.sku, coalesce(o.currency, p.currency), o.max_cost), p.currency) <> '{}');
  were_offered := core.lock_offered(product_ids);
  with changing as (
    select o.product_id, old.is as old, core.changed_terms(
      old.is, core.listed_terms(by_sku -> o.sku, coalesce(o.currency, p.currency), o.max_cost), p.currency) as new
    from supply.offers o join supply.products p on p.id = o.product_id
    cross join lateral (select jsonb_build_object('cost', o.cost, 'currency', o.currency, 'stock', o.stock, 'available', o.available, 'problem', o.problem) as is) as old
    where o.supplier = record_list.supplier and o.product_id = any (product_ids) and by_sku ? o.sku
  ), changed as (
    update supply.offers o set
      cost = (n.all_terms ->> 'cost')::numeric, currency = n.all_terms ->> 'currency', stock = (n.all_terms ->> 'stock')::int,
      available = (n.all_terms ->> 'available')::boolean, problem = n.all_terms ->> 'problem'
    from (select c.product_id, c.old, c.new, c.old || c.new as all_terms from changing c where c.new <> '{}') as n
    where o.supplier = record_list.supplier and o.product_id = n.product_id
    returning o.product_id, n.old, n.new
  )
  insert into supply.offer_changes (product_id, supplier, before, after)
  select c.product_id, record_list.supplier, (select jsonb_object_agg(k, c.old -> k) from jsonb_object_keys(c.new) as k), c.new
  from changed c order by c.product_id;
  perform core.note_offered(product_ids, were_offered);

  -- A session that has locked an offer changes it, or waits for a product that is locked here. So skip locked offers.
  update supply.offers o set synced_at = now()
  where o.supplier = record_list.supplier and o.product_id = any (array(
    select l.product_id from supply.offers l where l.supplier = record_list.supplier and by_sku ? l.sku
    order by l.product_id for no key update skip locked));
  return true;
end
$$;
comment on function work.record_list is
  'Records a part of a supplier''s list: [{sku, cost, currency, stock}]; a sku alone is not available. Other offers
stay. Marks the products as changed that become available or unavailable. Returns false, and records nothing, if the
lease has ended or the supplier is inactive. Give it 250 entries at a time: operators wait for it.';
