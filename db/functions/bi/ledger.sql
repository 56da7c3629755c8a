create or replace view bi.ledger as
select l.account_id, l.seq, l.type, l.amount, l.balance_after, l.currency, o.code as order_code, l.item_id, l.created_at
from supply.ledger l left join supply.orders o on o.id = coalesce(l.order_id, l.adjusted_order_id);
comment on view bi.ledger is
  'Every change of every balance. seq counts the rows of an account without a gap: read on from the last one.';
comment on column bi.ledger.order_code is 'The order that was charged, refunded or adjusted; null: none.';
