set local role supply_owner;

-- Each process rewrites its one row every second: the new version has to fit on the page of the old one.
create table supply.read_marks (
  process_id uuid primary key,
  mark bigint not null check (mark > 0),
  marked_at timestamptz not null default now()
) with (fillfactor = 50);
comment on table supply.read_marks is
  'What processes that read from a standby write every second: a standby that shows a mark has all that was committed before it.';
comment on column supply.read_marks.process_id is 'The process, by a number that it has drawn.';
comment on column supply.read_marks.mark is 'Its latest mark; each is greater than the one before.';
comment on column supply.read_marks.marked_at is 'When it was made.';

reset role;
