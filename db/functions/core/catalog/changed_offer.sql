create or replace function core.changed_offer(
  before supply.offers, product supply.products, supplier text, sku text, cost numeric, priority int, currency text,
  subject text default ''
)
returns supply.offers
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  -- The supplier's list described the previous sku.
  is_same_sku constant boolean := coalesce(before.sku = sku, false);
  fault constant text := case
    when length(trim(sku)) between 1 and 200 is not true then 'sku must have 1 to 200 characters'
    when priority is null then 'priority must be a number'
    when currency is not null and core.decimals(currency) is null
      then 'currency must be a code of three capitals, of a currency with at most 2 decimals; null: that of the product'
    when cost <> 0 and not core.is_money(cost, coalesce(currency, product.currency))
      then 'cost must be from 0 to 100000000000, with at most 2 decimals, or as many as its currency has'
  end;
  after supply.offers;
begin
  perform core.require(product.id is not null, subject || 'there is no such product', 'no_data_found',
    'ops.products lists the products, ops.upsert_product creates one.');
  perform core.require(exists (select from supply.suppliers s where s.code = changed_offer.supplier),
    format('%sthere is no supplier %L', subject, supplier), 'no_data_found',
    'ops.suppliers lists the suppliers, ops.upsert_supplier creates one.');
  perform core.require(fault is null, subject || fault);
  perform core.require(before.max_cost is null
      or coalesce(before.currency, product.currency) = coalesce(currency, product.currency),
    subject || 'the offer has a max_cost in another currency', 'object_not_in_prerequisite_state', format('Remove it '
      'with select ops.set_max_cost(%s, %L, null), and set it again afterwards.', product.id, supplier));
  after := row(
    product.id, supplier, sku, cost, priority, currency, coalesce(before.available, true) or not is_same_sku,
    case when is_same_sku then before.stock end, before.max_cost, case when is_same_sku then before.synced_at end,
    case when is_same_sku then before.problem end);
  return after;
end
$$;
comment on function core.changed_offer is
  'Returns a supplier''s offer of a product (before; null: a new one) with the values given, by the rules of
ops.upsert_offer. Raises, with the subject in front, for the first wrong value.';
