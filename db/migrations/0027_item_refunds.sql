-- Jobs are looked for by what they are for: by this very expression, which core.jobs has for it. A job pays for it twice,
-- as it is added and as it is taken.
create index jobs_subject on graphile_worker._private_jobs ((
  case when payload ->> 'id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (payload ->> 'id')::uuid end));

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
-- What operators book: few entries among those of orders, and looked at whole by the audit.
create index ledger_by_hand on supply.ledger (created_at) where type in ('deposit', 'adjustment');
comment on column supply.ledger.item_id is 'The item refunded, by the service or (an adjustment) by an operator.';

reset role;
