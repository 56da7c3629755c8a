create or replace function core.lock_result_marks(account_ids bigint[])
returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  lock_timeout constant text := current_setting('lock_timeout');
  wanted bigint[];
  locked bigint[];
begin
  insert into supply.result_marks (account_id)
  select a.id from supply.accounts a
  where a.id = any (account_ids) and not exists (select from supply.result_marks m where m.account_id = a.id)
  order by a.id
  -- The foreign key would wait for it.
  for key share of a skip locked
  on conflict on constraint result_marks_pkey do nothing;
  wanted := array(select m.account_id from supply.result_marks m where m.account_id = any (account_ids));
  locked := array(
    select m.account_id from supply.result_marks m where m.account_id = any (wanted)
    order by m.account_id for no key update skip locked);
  if wanted <@ locked then
    return locked;
  end if;
  begin
    perform set_config('lock_timeout', '50', true);
    locked := array(
      select m.account_id from supply.result_marks m where m.account_id = any (wanted)
      order by m.account_id for no key update);
    perform set_config('lock_timeout', lock_timeout, true);
  exception when lock_not_available then
    -- Another transaction stays open: work.number_results gives its account's numbers later.
    null;
  end;
  return locked;
end
$$;
comment on function core.lock_result_marks is
  'Locks the marks of accounts until the transaction ends, makes those that are missing, and returns the accounts whose mark it locked: those that no other '
  'transaction holds, or holds for no longer than 50 ms. Call it after other rows are locked, and late: transactions of one account wait for '
  'each other here.';
