create or replace function core.changed_offer(
  before supply.offers, product supply.products, supplier text, sku text, cost numeric, priority int, currency text,
  recipient text default null, subject text default ''
)
returns supply.offers
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  new_recipient constant text := nullif(coalesce(recipient, before.recipient), '');
  fault constant text := coalesce(core.fault_of_offer(sku, cost, priority, currency, product.currency),
    core.fault_of_recipient(new_recipient, product.delivery_fields));
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
  after := core.merged_offer(before, product.id, supplier, sku, cost, priority, currency, false);
  after.recipient := new_recipient;
  return after;
end
$$;
comment on function core.changed_offer is
  'Returns a supplier''s offer of a product (before; null: a new one) with the values given, by the rules of
ops.upsert_offer. Raises, with the subject in front, for the first wrong value.';
