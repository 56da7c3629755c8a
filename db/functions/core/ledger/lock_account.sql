create or replace function core.lock_account(reference anycompatible)
returns supply.accounts
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  account supply.accounts;
begin
  select a.* into strict account from supply.accounts a
  -- guard: bookings of an account wait for its lock
  where a.id = core.refer_to('account', reference)::bigint for no key update;
  return account;
end
$$;
comment on function core.lock_account is
  'Returns the account that a reference means (core.refer_to), locked until the transaction ends.';
