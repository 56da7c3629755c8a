create or replace function core.lock_slots(account_ids bigint[])
returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  lock_timeout constant text := current_setting('lock_timeout');
  locked bigint[] := array(
    select s.account_id from supply.delivery_slots s where s.account_id = any (account_ids)
    order by s.account_id for no key update skip locked);
begin
  if account_ids <@ locked then
    return locked;
  end if;
  begin
    perform set_config('lock_timeout', '50', true);
    locked := array(
      select s.account_id from supply.delivery_slots s where s.account_id = any (account_ids)
      order by s.account_id for no key update);
    perform set_config('lock_timeout', lock_timeout, true);
  exception when lock_not_available then
    -- work.fill_slots gives out the slots of these accounts later.
    null;
  end;
  return locked;
end
$$;
comment on function core.lock_slots is
  'Locks the slots of accounts. Returns those that it locked: all that no other transaction holds for longer than 50 ms.
Call it after other rows are locked, and late: transactions of one account wait for each other here.';
