set local role supply_owner;

alter table supply.suppliers
  add column trouble text check (trouble in ('balance', 'credentials', 'settings'));
comment on column supply.suppliers.trouble is
  'What an operator has to put right before it takes orders, as the last answers to them said: our balance there is spent, it does not accept our '
  'credentials, or our settings make no request; null: nothing.';

alter table supply.supplier_attempts add column cause text;
comment on column supply.supplier_attempts.cause is
  'Why the supplier has no order by this call: balance, credentials, settings, unreachable or busy; null unless the outcome is not_placed.';

alter table supply.order_items add column limited_at timestamptz;
comment on column supply.order_items.limited_at is 'Since when its next call waits for the limits of its supplier, in whose line it is; null: it does not.';
create index order_items_limited on supply.order_items (supplier, limited_at) where limited_at is not null;

reset role;
