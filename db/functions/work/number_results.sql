create or replace function work.number_results()
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  part constant int := 2000;
  left_over int := part;
  account bigint := 0;
begin
  if not core.begin_periodic_task('number_results') then
    return false;
  end if;
  while left_over > 0 loop
    select u.account_id into account from supply.unnumbered_results u where u.account_id > account order by u.account_id limit 1;
    exit when not found;
    left_over := left_over - core.number_unnumbered(account, left_over);
  end loop;
  return left_over <= 0;
end
$$;
comment on function work.number_results is
  'Gives numbers to final orders that have none, because their end found the mark of their account locked. '
  'Does a part of at most 2,000, and returns whether there is more. Call it every second from each worker; calls at the same time do nothing.';
