set local role supply_owner;

-- A result that is pushed again is counted where it was recorded.
alter table supply.supplier_attempts add column repeats int not null default 0;
comment on column supply.supplier_attempts.repeats is 'How often the supplier pushed the same result again; it is recorded once.';

create unlogged table supply.push_windows (
  supplier text primary key references supply.suppliers,
  started_at timestamptz not null,
  repeats int not null
) with (fillfactor = 50);
comment on table supply.push_windows is 'How many results each supplier pushed again in its present window. Unlogged: a crash forgives.';
comment on column supply.push_windows.supplier is 'The supplier.';
comment on column supply.push_windows.started_at is 'When the window of 60 s began.';
comment on column supply.push_windows.repeats is 'Repeated pushes in the window.';

reset role;
