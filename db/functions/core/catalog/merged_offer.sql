create or replace function core.merged_offer(
  before supply.offers, product_id int, supplier text, sku text, cost numeric, priority int, currency text,
  is_in_file boolean
)
returns supply.offers
language sql stable
return case when (before).sku = sku
  then row(
    product_id, supplier, sku, cost, priority, currency,
    (before).available or is_in_file and (before).stock is distinct from 0, (before).stock, (before).max_cost,
    (before).synced_at, (before).problem, (before).recipient)::supply.offers
  -- The supplier's list described the previous sku.
  else row(
    product_id, supplier, sku, cost, priority, currency, true, null, (before).max_cost, null, null,
    (before).recipient)::supply.offers
end;
comment on function core.merged_offer is
  'Returns a supplier''s offer of a product (before; null: a new one) with values that are right. is_in_file: a file has
it again that another one lacked.';
