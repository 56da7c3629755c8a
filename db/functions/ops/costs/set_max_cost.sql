create or replace function ops.set_max_cost(product_id int, supplier text, max_cost numeric)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product_ids constant int[] := array[set_max_cost.product_id];
  were_offered int[] := core.lock_offered(product_ids);
begin
  perform core.require(exists (
      select from supply.offers o where o.product_id = set_max_cost.product_id and o.supplier = set_max_cost.supplier),
    format('%s offers no product %s', coalesce(supplier, 'null'), coalesce(product_id::text, 'null')), 'no_data_found', 'ops.offers lists who offers what.');
  perform core.require(
    set_max_cost.max_cost is null or core.is_money(set_max_cost.max_cost, (
      select coalesce(o.currency, p.currency) from supply.offers o join supply.products p on p.id = o.product_id
      where o.product_id = set_max_cost.product_id and o.supplier = set_max_cost.supplier)),
    'max_cost must be above 0, at most 100000000000, with at most 2 decimals, or as many as its currency has; null: no limit');
  update supply.offers o set max_cost = set_max_cost.max_cost
  where o.product_id = set_max_cost.product_id and o.supplier = set_max_cost.supplier and o.max_cost is distinct from set_max_cost.max_cost;
  if found then
    perform core.log_operator('set_max_cost', format('product %s at %s', product_id, supplier), jsonb_build_object('max_cost', max_cost));
    raise notice 'product % at %: used up to a cost of %', product_id, supplier, coalesce(max_cost::text, 'any amount');
  else
    raise notice 'product % at % had this limit before: nothing changed', product_id, supplier;
  end if;
  perform core.note_offered(product_ids, were_offered);
end
$$;
comment on function ops.set_max_cost is
  'Above which cost, in the currency of the offer''s costs, a supplier''s offer of a product is not used for new items; null: no limit. While it is set, an offer whose cost is '
  'not known is not used either, nor one whose list changes to another currency.';
