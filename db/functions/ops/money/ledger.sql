create or replace view ops.ledger as
select l.account_id, l.seq, l.type, l.amount, l.balance_after, l.currency, o.code as order_code,
  o.external_order_id, l.item_id, o.payment_code, l.reference, l.note, l.created_by, l.created_at,
  -- In a column of its own: an order is looked for in this view by the entry's own column.
  (select a.code from supply.orders a where a.id = l.adjusted_order_id) as refunded_order_code
from supply.ledger l
left join supply.orders o on o.id = l.order_id;
comment on view ops.ledger is 'Every change of every balance, in the account''s currency.';
comment on column ops.ledger.order_code is 'The order that was charged, or refunded by the service.';
comment on column ops.ledger.refunded_order_code is
  'The order that an adjustment of an operator is about (ops.refund_item; ops.adjust with order_code).';
