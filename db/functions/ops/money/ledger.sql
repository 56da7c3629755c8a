create or replace view ops.ledger as
select l.account_id, l.seq, l.type, l.amount, l.balance_after, l.currency, o.code as order_code, o.external_order_id,
  l.item_id, o.payment_code, l.reference, l.note, l.created_by, l.created_at,
  -- Found by the item: an order is looked for in this view by the entry's own column.
  case when l.type = 'adjustment' and l.item_id is not null then (
    select io.code from supply.order_items i join supply.orders io on io.id = i.order_id
      where i.id = l.item_id) end as refunded_order_code
from supply.ledger l
left join supply.orders o on o.id = l.order_id;
comment on view ops.ledger is 'Every change of every balance, in the account''s currency.';
comment on column ops.ledger.order_code is 'The order that was charged, or refunded by the service.';
comment on column ops.ledger.refunded_order_code is
  'The order of the item that an operator refunded (ops.refund_item).';
