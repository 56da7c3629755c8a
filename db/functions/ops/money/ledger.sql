create or replace view ops.ledger as
select
  l.account_id,
  l.seq,
  l.type,
  l.amount,
  l.balance_after,
  l.currency,
  o.code as order_code,
  o.external_order_id,
  l.item_id,
  l.payment_code,
  l.reference,
  l.note,
  l.created_by,
  l.created_at
from supply.ledger l
left join supply.orders o on o.id = l.order_id;
comment on view ops.ledger is 'Every change of every balance, in the account''s currency.';
comment on column ops.ledger.order_code is 'The order charged or refunded.';
comment on column ops.ledger.external_order_id is 'The partner''s reference of that order.';
comment on column ops.ledger.created_at is 'When it was booked.';
