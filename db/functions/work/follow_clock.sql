create or replace function work.follow_clock()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not core.begin_periodic_task('follow_clock') then
    return 0;
  end if;
  return core.pull_back_plans();
end
$$;
comment on function work.follow_clock is
  'Moves back the plans that lie too far ahead since the clock of the database went back. Returns how many: 0 while all
is well. Call it every 10 s from each worker; only one runs at a time.';
