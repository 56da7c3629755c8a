-- Roles: trade
create or replace view ops.import_products as
select null::text as product_id, null::text as game_slug, null::text as name, null::text as price, null::text as
  currency, null::text as delivery_type, null::text as region, null::text as amount_value, null::text as
  max_quantity, null::text as in_stock, null::text as image_url, null::text as platform, null::text as countries,
  null::text as supplier, null::text as sku, null::text as cost, null::text as cost_currency, null::text as priority
where false;
comment on view ops.import_products is
  'Takes a list of products, costs and prices: \copy ops.import_products (sku, supplier, cost) from ''list.csv'' with
(format csv, header match). It changes nothing yet: ops.import_lines shows what would change, ops.apply_import does it.
Columns that are not named and empty values keep what is there; <none> clears.';
comment on column ops.import_products.product_id is
  'The product; empty: the one that has the offer of supplier and sku, else a new product.';
comment on column ops.import_products.game_slug is 'The game''s slug.';
comment on column ops.import_products.name is 'The name for people.';
comment on column ops.import_products.price is 'The unit price, with a decimal point.';
comment on column ops.import_products.currency is 'The currency of the price.';
comment on column ops.import_products.delivery_type is 'id_only, key or other.';
comment on column ops.import_products.region is 'Where it can be used; <none>: anywhere.';
comment on column ops.import_products.amount_value is 'The fixed amount that one unit holds; <none>: none.';
comment on column ops.import_products.max_quantity is 'The most units one order item may have.';
comment on column ops.import_products.in_stock is 'Whether it is on sale: true or false.';
comment on column ops.import_products.image_url is 'A picture: an http or https URL; <none>: none.';
comment on column ops.import_products.platform is 'Where it is used, such as Steam; <none>: not known.';
comment on column ops.import_products.countries is
  'Where it works: codes such as DE, separated by blanks; <none>: everywhere.';
comment on column ops.import_products.supplier is
  'The supplier whose offer the line has; empty: the line has no offer.';
comment on column ops.import_products.sku is 'The supplier''s name for the product.';
comment on column ops.import_products.cost is 'What one unit costs us, with a decimal point; <none>: not known.';
comment on column ops.import_products.cost_currency is 'The currency of the cost; <none>: the product''s.';
comment on column ops.import_products.priority is 'The smallest is asked first; of equals the cheapest.';
create or replace trigger stage instead of insert on ops.import_products
  for each row execute function core.stage_line('products');
create or replace trigger report after insert on ops.import_products
  for each statement execute function core.report_import('products');
