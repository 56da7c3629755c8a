create or replace function core.wait_for_account(account_id bigint, wait_ms int)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  lock_timeout text := current_setting('lock_timeout');
begin
  perform set_config('lock_timeout', wait_ms::text, true);
  perform 1 from supply.accounts a where a.id = wait_for_account.account_id for no key update;
  perform set_config('lock_timeout', lock_timeout, true);
exception when lock_not_available then
  -- Its setting went with the lock.
  null;
end
$$;
comment on function core.wait_for_account is
  'Locks the account until the transaction ends, or gives up after wait_ms milliseconds. Call it before any other row is locked: nobody waits for one who waits.';
