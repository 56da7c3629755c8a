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
comment on column ops.ledger.account_id is 'The account.';
comment on column ops.ledger.seq is 'Counts the account''s rows from 1 without a gap.';
comment on column ops.ledger.type is 'deposit, order_charge, order_refund, adjustment.';
comment on column ops.ledger.amount is 'The signed change.';
comment on column ops.ledger.balance_after is 'The balance after it.';
comment on column ops.ledger.currency is 'ISO 4217 code.';
comment on column ops.ledger.order_code is 'The order charged or refunded.';
comment on column ops.ledger.external_order_id is 'The partner''s reference of that order.';
comment on column ops.ledger.item_id is 'The line refunded.';
comment on column ops.ledger.payment_code is 'The order''s payment code.';
comment on column ops.ledger.reference is 'The operator''s reference of a deposit or an adjustment.';
comment on column ops.ledger.note is 'The operator''s note.';
comment on column ops.ledger.created_by is 'The database login that wrote it.';
comment on column ops.ledger.created_at is 'When.';
revoke all on ops.ledger from public;
grant select on ops.ledger to supply_operator;
