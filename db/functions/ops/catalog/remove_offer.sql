create or replace function ops.remove_offer(product_id int, supplier text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product_ids constant int[] := array[remove_offer.product_id];
  were_offered constant int[] := core.lock_offered(product_ids);
begin
  delete from supply.offers o where o.product_id = remove_offer.product_id and o.supplier = remove_offer.supplier;
  perform core.require(found, format('%s offers no product %s', supplier, product_id), 'no_data_found', 'ops.offers lists who offers what.');
  perform core.note_offered(product_ids, were_offered);
  raise notice 'supplier % no longer offers product %; % other offers remain', supplier, product_id,
    (select count(*) from supply.offers o where o.product_id = remove_offer.product_id);
  perform core.log_operator('remove_offer', format('product %s at %s', product_id, supplier));
end
$$;
comment on function ops.remove_offer is
  'Removes a supplier''s offer of a product; without any other the product shows as out of stock. Items that are '
  'under way continue.';
