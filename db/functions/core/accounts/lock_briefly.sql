create or replace function core.lock_briefly(what text, account_ids bigint[])
returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  lock_timeout constant text := current_setting('lock_timeout');
  locked bigint[];
begin
  if what = 'delivery_slots' then
    locked := array(
      select s.account_id from supply.delivery_slots s where s.account_id = any (account_ids)
      order by s.account_id for no key update skip locked);
  else
    locked := array(
      select m.account_id from supply.result_marks m where m.account_id = any (account_ids)
      order by m.account_id for no key update skip locked);
  end if;
  if account_ids <@ locked then
    return locked;
  end if;
  begin
    perform set_config('lock_timeout', '50', true);
    execute format('select array(select r.account_id from supply.%I r where r.account_id = any ($1) '
      'order by r.account_id for no key update)', what) into locked using account_ids;
    perform set_config('lock_timeout', lock_timeout, true);
  exception when lock_not_available then
    -- Another transaction stays open: work.fill_slots and work.number_results serve these accounts later.
    null;
  end;
  return locked;
end
$$;
comment on function core.lock_briefly is
  'Locks the rows of accounts in delivery_slots or result_marks until the transaction ends. Returns the accounts whose
row it locked: all that no other transaction holds for longer than 50 ms. Call it late, after other locks: transactions
of one account wait for each other here.';
