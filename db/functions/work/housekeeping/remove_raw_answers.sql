create or replace function work.remove_raw_answers(retain interval, is_first boolean)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 1000;
  before constant timestamptz := now() - retain;
  run supply.housekeeping := core.begin_removal('raw answers', is_first);
  old bigint[];
begin
  if run.what is null then
    return false;
  end if;
  old := array(
    select a.id from supply.supplier_attempts a
    where a.raw is not null and a.started_at < before
    order by a.started_at limit at_once for no key update skip locked);
  update supply.supplier_attempts a set raw = null where a.id = any (old);
  return core.end_removal(run, cardinality(old), before, cardinality(old) = at_once);
end
$$;
comment on function work.remove_raw_answers is
  'Forgets the answers of suppliers that made no sense, which may hold codes, of attempts that began longer ago than retain: 1,000 at a time. '
  'Returns whether there is more: call it with is_first, then without until it returns false. Calls at the same time share the work.';
