-- Roles: trade
create or replace function ops.set_max_cost(product_id anycompatible, supplier text, max_cost numeric)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product_ids constant int[] := array[core.refer_to('product', product_id)::int];
  were_offered constant supply.product_floor[] := core.lock_offered(product_ids);
  offer supply.offers;
begin
  select o.* into offer from supply.offers o
  where o.product_id = product_ids[1] and o.supplier = set_max_cost.supplier;
  perform core.require(found, format('%s offers no product %s', coalesce(supplier, 'null'), product_ids[1]),
    'no_data_found',
    'ops.offers lists who offers what.');
  perform core.require(
    max_cost is null or core.is_money(max_cost, coalesce(
      offer.currency, (select p.currency from supply.products p where p.id = offer.product_id))),
    'max_cost must be above 0, at most 100000000000, with at most 2 decimals, or as many as its currency has; null: '
      'no limit');
  if offer.max_cost is not distinct from max_cost then
    raise notice 'product % at % has this limit already: nothing changed', offer.product_id, supplier;
    return;
  end if;
  update supply.offers o set max_cost = set_max_cost.max_cost
  where o.product_id = offer.product_id and o.supplier = offer.supplier;
  perform core.note_offered(product_ids, were_offered);
  perform core.log_operator('set_max_cost', format('product %s at %s', offer.product_id, supplier),
    jsonb_build_object('max_cost', max_cost, 'before', offer.max_cost));
  raise notice 'product % at %: used up to a cost of % (before: %)', offer.product_id, supplier,
    coalesce(max_cost::text, 'any amount'), coalesce(offer.max_cost::text, 'any amount');
end
$$;
comment on function ops.set_max_cost is
  'Sets the maximum cost, in the currency of its costs, at which new items use an offer. Null: no limit. With a limit,
an offer of unknown cost is not used, and neither is one whose list changes to another currency.';
