set local role supply_owner;

-- A refund by hand is an adjustment about an item that was delivered. It names no order, for the ledger has one entry
-- of an order's item; the item leads to its order.
alter table supply.ledger
  drop constraint ledger_check1,
  add constraint ledger_item_check check (case type
    when 'order_refund' then item_id is not null
    when 'adjustment' then true
    else item_id is null end) not valid;
alter table supply.ledger validate constraint ledger_item_check;
create index ledger_item_adjustments on supply.ledger (item_id) where type = 'adjustment' and item_id is not null;
comment on column supply.ledger.item_id is 'The item refunded, by the service or (an adjustment) by an operator.';

reset role;
