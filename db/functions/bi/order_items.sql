create or replace view bi.order_items as
select i.id as item_id, o.code as order_code, o.account_id, i.product_id, i.product_name, i.delivery_type, i.amount,
  i.price, i.status, i.refunded_amount, i.error_code, i.supplier, i.cost, o.created_at, i.completed_at,
  i.supplier_cost, i.supplier_currency, i.rate
from supply.order_items i join supply.orders o on o.id = i.order_id;
comment on view bi.order_items is 'The items of orders. Prices and costs are of one unit.';
comment on column bi.order_items.item_id is 'The item; of a split item, each part has its own.';
comment on column bi.order_items.order_code is 'The orderCode.';
comment on column bi.order_items.supplier_cost is 'What a unit costs in supplier_currency; null: unknown.';
comment on column bi.order_items.rate is
  'What a unit of supplier_currency was in the order''s currency when the offer was chosen.';
