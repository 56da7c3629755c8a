create or replace function core.lock_result_marks(account_ids bigint[])
returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  lock_timeout constant text := current_setting('lock_timeout');
  locked bigint[] := array(
    select m.account_id from supply.result_marks m where m.account_id = any (account_ids)
    order by m.account_id for no key update skip locked);
begin
  if account_ids <@ locked then
    return locked;
  end if;
  begin
    perform set_config('lock_timeout', '50', true);
    locked := array(
      select m.account_id from supply.result_marks m where m.account_id = any (account_ids)
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
  'Locks the marks of accounts until the transaction ends. Returns the accounts whose mark it locked: those that no
other transaction holds for longer than 50 ms. Call it late, after other locks: transactions of an account wait here.';
