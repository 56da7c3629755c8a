-- Roles: trade
create or replace function ops.remove_offer(product_id anycompatible, supplier text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product_ids constant int[] := array[core.refer_to('product', product_id)::int];
  were_offered constant supply.product_floor[] := core.lock_offered(product_ids);
  removed supply.offers;
begin
  delete from supply.offers o where o.product_id = product_ids[1] and o.supplier = remove_offer.supplier
  returning o.* into removed;
  perform core.require(found, format('%s offers no product %s', supplier, product_ids[1]), 'no_data_found',
    'ops.offers lists who offers what.');
  perform core.note_offered(product_ids, were_offered);
  perform core.log_operator('remove_offer', format('product %s at %s', product_ids[1], supplier),
    jsonb_build_object('before', to_jsonb(removed) - array['product_id', 'supplier', 'synced_at']));
  raise notice 'supplier % no longer offers product % (before: %, at a cost of %, priority %); % other offers remain',
    supplier, product_ids[1], removed.sku, coalesce(removed.cost::text, 'an amount that is not known'),
    removed.priority, (select count(*) from supply.offers o where o.product_id = product_ids[1]);
end
$$;
comment on function ops.remove_offer is
  'Removes a supplier''s offer of a product. Without another offer the product is shown as out of stock. Placed items
continue.';
