set local role supply_owner;

-- What operators look an order up by. A supplier's own reference is written once, most often with the item's end, which
-- enters the item in all indexes anyhow.
create index order_items_supplier_order on supply.order_items (supplier_order_id) where supplier_order_id is not null;
create index operator_log_subject on supply.operator_log (subject, at);

-- Of results that contradict each other nothing tells by itself that somebody has looked at them.
alter table supply.alerts
  add column acknowledged_at timestamptz,
  add column acknowledged_by text,
  add column note text,
  add constraint alerts_acknowledged_check check ((acknowledged_at is null) = (acknowledged_by is null)) not valid;
alter table supply.alerts validate constraint alerts_acknowledged_check;
comment on column supply.alerts.acknowledged_at is 'When an operator last said that it was looked at; what happened later counts anew.';
comment on column supply.alerts.acknowledged_by is 'The database login of that operator.';
comment on column supply.alerts.note is 'What the operator noted about it.';

reset role;
