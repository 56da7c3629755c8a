create or replace function work.record_list(supplier text, lease_token uuid, entries jsonb)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product_ids int[];
  were_offered supply.product_floor[];
begin
  perform 1 from supply.supplier_syncs y join supply.suppliers s on s.code = y.supplier
  where y.supplier = record_list.supplier and y.lease_token = record_list.lease_token and y.lease_expires_at > now()
    and s.active
  for update of y;
  if not found then
    return false;
  end if;
  product_ids := array(
    select (c.after).product_id from core.changes_of_list(record_list.supplier, entries) c
    union select t.product_id from core.texts_of_list(record_list.supplier, entries) t);
  were_offered := core.lock_offered(product_ids);
  with changed as (
    update supply.offers o set
      (cost, currency, stock, available, problem)
      = ((c.after).cost, (c.after).currency, (c.after).stock, (c.after).available, (c.after).problem)
    from core.changes_of_list(record_list.supplier, entries) c
    where o.supplier = record_list.supplier and o.product_id = (c.after).product_id and o.product_id = any (product_ids)
    returning o.product_id, to_jsonb(c.before) as before, to_jsonb(c.after) as after
  )
  insert into supply.offer_changes (product_id, supplier, before, after)
  select c.product_id, record_list.supplier, jsonb_object_agg(b.key, b.value), jsonb_object_agg(b.key, c.after -> b.key)
  from changed c cross join lateral jsonb_each(c.before) as b
  where b.value <> c.after -> b.key
  group by c.product_id order by c.product_id;
  perform core.note_offered(product_ids, were_offered);
  with written as (
    insert into supply.product_texts (product_id, locale, description, redeem, terms, supplier)
    select t.product_id, t.locale, t.description, t.redeem, t.terms, t.supplier
    from core.texts_of_list(record_list.supplier, entries) t where t.product_id = any (product_ids)
    on conflict on constraint product_texts_pkey do update
      set (description, redeem, terms, updated_at) = (excluded.description, excluded.redeem, excluded.terms, now())
    returning product_id
  )
  update supply.products p set updated_at = now() from written w where p.id = w.product_id;

  -- A session that has locked an offer changes it, or waits for a product that is locked here. So skip locked offers.
  update supply.offers o set synced_at = now()
  where o.supplier = record_list.supplier and o.product_id = any (array(
    select l.product_id from supply.offers l
    where l.supplier = record_list.supplier
      and (select jsonb_object_agg(e ->> 'sku', e) from jsonb_array_elements(entries) as e) ? l.sku
    order by l.product_id for no key update skip locked));
  return true;
end
$$;
comment on function work.record_list is
  'Records a part of a supplier''s list: [{sku, cost, currency, stock, texts?}]; a sku alone is not available. Other
offers stay. Marks products as changed that become (un)available or get texts. Returns false, and records nothing, if
the lease has ended or the supplier is inactive. Give it 250 entries at a time: operators wait for it.';
