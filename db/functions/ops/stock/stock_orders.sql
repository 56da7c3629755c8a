create or replace view ops.stock_orders as
select b.name as batch, b.supplier, b.sku, o.code as order_code, c.item_id, o.account_id, count(*)::int as codes,
  max(c.sold_at) as sold_at
from supply.stock_codes c
join supply.stock_batches b on b.id = c.batch_id
join supply.order_items i on i.id = c.item_id
join supply.orders o on o.id = i.order_id
group by b.name, b.supplier, b.sku, o.code, c.item_id, o.account_id;
comment on view ops.stock_orders is 'Which items have codes of a batch of our own stock. No code is shown.';
comment on column ops.stock_orders.batch is 'The batch.';
comment on column ops.stock_orders.order_code is 'The order.';
comment on column ops.stock_orders.codes is 'How many codes of the batch the item has.';
comment on column ops.stock_orders.sold_at is 'When they were sold.';
