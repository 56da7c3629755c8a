create or replace view ops.imports as
select i.id as import_id, i.kind, i.operator, i.loaded_at, now.lines, now.new, now.changed, now.unchanged, now.wrong,
  now.risky, i.state
from supply.imports i
cross join lateral (
  select i.lines, i.new, i.changed, i.unchanged, i.wrong, i.risky
  where i.state <> 'loaded' or i.kind = 'supplier_statement'
  union all
  select count(*)::int, count(*) filter (where j.change = 'new')::int,
    count(*) filter (where j.change = 'changed')::int, count(*) filter (where j.change = 'unchanged')::int,
    count(*) filter (where j.change = 'wrong')::int, count(j.risk)::int
  from ops.import_lines(i.id, 0) as j
  where i.state = 'loaded' and i.kind <> 'supplier_statement'
  having i.state = 'loaded' and i.kind <> 'supplier_statement'
) as now;
comment on view ops.imports is
  'The lists that operators loaded from files. What is only loaded is compared with what is there now, and is removed
after 7 days; the others have the numbers of when they were applied or discarded.';
comment on column ops.imports.import_id is 'Its number.';
comment on column ops.imports.lines is 'How many lines it has.';
comment on column ops.imports.new is 'How many of them are new.';
comment on column ops.imports.changed is 'How many of them change something.';
comment on column ops.imports.unchanged is 'How many of them change nothing.';
comment on column ops.imports.wrong is 'How many of them are wrong.';
comment on column ops.imports.risky is 'How many of them have a risk.';
