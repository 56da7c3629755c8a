create or replace function ops.remove_offer(product_id int, supplier text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  was_offered boolean;
  hint text;
begin
  perform 1 from supply.products p where p.id = remove_offer.product_id for no key update;
  was_offered := core.has_offer(product_id);
  delete from supply.offers o where o.product_id = remove_offer.product_id and o.supplier = remove_offer.supplier;
  perform core.require(found, format('%s offers no product %s', supplier, product_id), 'no_data_found', 'ops.offers lists who offers what.');
  if core.has_offer(product_id) <> was_offered then
    update supply.products p set updated_at = now() where p.id = remove_offer.product_id;
  end if;
  perform core.log_operator('remove_offer', format('product %s at %s', product_id, supplier));
exception
  when invalid_parameter_value or no_data_found or object_not_in_prerequisite_state or unique_violation or check_violation then
    get stacked diagnostics hint = pg_exception_hint;
    raise exception using errcode = sqlstate, message = sqlerrm, hint = core.hint_for('remove_offer', hint);
end
$$;
comment on function ops.remove_offer is
  'Removes a supplier''s offer of a product; without any other the product shows as out of stock. Items that are '
  'under way continue.';
