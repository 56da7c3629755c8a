create or replace function work.record_list(supplier text, lease_token uuid, entries jsonb)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  by_sku constant jsonb := (
    select coalesce(jsonb_object_agg(e ->> 'sku', e), '{}') from jsonb_array_elements(entries) as e);
  product_ids int[];
  were_offered int[];
begin
  perform 1 from supply.supplier_syncs y join supply.suppliers s on s.code = y.supplier
  where y.supplier = record_list.supplier and y.lease_token = record_list.lease_token and y.lease_expires_at > now()
    and s.active
  for update of y;
  if not found then
    return false;
  end if;
  product_ids := array(select c.product_id from core.changes_of_list(record_list.supplier, by_sku) c);
  were_offered := core.lock_offered(product_ids);
  with changed as (
    update supply.offers o set (cost, currency, stock, available, problem) = (
      select t.cost, t.currency, t.stock, t.available, t.problem from jsonb_populate_record(o, c.after) as t)
    from core.changes_of_list(record_list.supplier, by_sku) c
    where o.supplier = record_list.supplier and o.product_id = c.product_id and c.product_id = any (product_ids)
    returning o.product_id, c.before, c.after
  )
  insert into supply.offer_changes (product_id, supplier, before, after)
  select c.product_id, record_list.supplier, c.before, c.after from changed c order by c.product_id;
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
