set local role supply_owner;

alter table supply.suppliers
  add column trouble text check (trouble in ('balance', 'credentials', 'settings'));
comment on column supply.suppliers.trouble is
  'What an operator has to put right before it takes orders, as the last answers to them said: our balance there is spent, it does not accept our '
  'credentials, or our settings make no request; null: nothing.';

alter table supply.supplier_attempts add column cause text;
comment on column supply.supplier_attempts.cause is
  'Why the supplier has no order by this call: balance, credentials, settings, unreachable or busy; null unless the outcome is not_placed.';

reset role;
