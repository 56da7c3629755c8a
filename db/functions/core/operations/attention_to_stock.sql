create or replace view core.attention_to_stock as
select p.since, 'stock low' as what, 'stock ' || p.subject as subject, p.detail,
  format('select * from ops.stock where concat(supplier, ''/'', sku) = %L', p.subject) as remedy,
  null::text as order_code, null::bigint as account_id
from core.problems p where p.kind = 'stock_low'
union all
select b.loaded_at, 'code duplicate', 'batch ' || b.name,
  format('%s codes of sku %s at %s are not sold, because the stock or an item has the same code: ask who sold them '
    'to us; ops.withdraw_codes(%L, reason) withdraws the batch, without those that were sold', d.codes, b.sku,
    b.supplier, b.name),
  format('select * from ops.stock_batches where batch = %L', b.name), null, null
from (
  select c.batch_id, count(*) as codes from supply.stock_codes c where c.state = 'duplicate' group by c.batch_id
) as d join supply.stock_batches b on b.id = d.batch_id;
comment on view core.attention_to_stock is 'The rows of ops.attention about our own stock of codes.';
