set local role supply_owner;

create table supply.supplier_syncs (
  supplier text primary key references supply.suppliers,
  claim_id uuid,
  claimed_at timestamptz,
  claim_expires_at timestamptz,
  failures int not null default 0 check (failures >= 0),
  failing_since timestamptz
);
comment on table supply.supplier_syncs is
  'Who reads the list of a supplier now. Apart from supply.suppliers, so that who places and sends orders never waits for a list.';
comment on column supply.supplier_syncs.supplier is 'The supplier.';
comment on column supply.supplier_syncs.claim_id is 'The fencing token of the reading under way; null: there is none.';
comment on column supply.supplier_syncs.claimed_at is 'Since when it is under way.';
comment on column supply.supplier_syncs.claim_expires_at is 'When another worker may begin anew.';
comment on column supply.supplier_syncs.failures is 'How many readings in a row failed.';
comment on column supply.supplier_syncs.failing_since is 'When the first of them failed; null: the last did not.';

alter table supply.offers add column problem text;
comment on column supply.offers.problem is 'Why what the supplier''s list says of it is of no use; null: it is not.';

alter table supply.rates add column is_end_noted boolean not null default false;
comment on column supply.rates.is_end_noted is 'Whether the products that became unavailable by its end show as changed.';

reset role;
