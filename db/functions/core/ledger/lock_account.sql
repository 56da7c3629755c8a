create or replace function core.lock_account(account_id bigint)
returns supply.accounts
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  account supply.accounts;
begin
  -- guard: bookings of an account wait for its lock
  select a.* into account from supply.accounts a where a.id = lock_account.account_id for no key update;
  perform core.require(found, format('there is no account %s', coalesce(lock_account.account_id::text, 'null')), 'no_data_found',
    'ops.accounts lists the accounts, ops.create_account makes one.');
  return account;
end
$$;
comment on function core.lock_account is
  'The account, locked until the transaction ends. Raises no_data_found if there is none.';
