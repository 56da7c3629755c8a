-- Roles: trade
create or replace view ops.import_prices as
select null::text as list, null::text as product_id, null::text as price, null::text as min_quantity
where false;
comment on view ops.import_prices is
  'Takes prices of price lists: \copy ops.import_prices (list, product_id, price) from ''prices.csv'' with (format csv,
header match). It changes nothing yet: ops.import_lines shows what would change, ops.apply_import does it. A price that
is empty stays as it is; <none> removes it.';
comment on column ops.import_prices.list is 'The price list''s name or number.';
comment on column ops.import_prices.product_id is 'The product.';
comment on column ops.import_prices.price is
  'The unit price in the product''s currency, with a decimal point; <none>: none of its own.';
comment on column ops.import_prices.min_quantity is
  'The price holds for items of so many units or more; empty: from one unit on.';
create or replace trigger stage instead of insert on ops.import_prices
  for each row execute function core.stage_line('prices');
create or replace trigger report after insert on ops.import_prices
  for each statement execute function core.report_import('prices');
