create or replace function core.begin_removal(what text, is_first boolean)
returns supply.housekeeping
language sql set search_path = pg_catalog, pg_temp
as $$
  select h from supply.housekeeping h
  where h.what = begin_removal.what and (begin_removal.is_first or h.pass_count is not null)
  for no key update skip locked
$$;
comment on function core.begin_removal is
  'Locks the record of what is removed, and returns it; is_first begins a pass, unless one is under way. Null if another worker has it, or if '
  'the pass has ended.';
