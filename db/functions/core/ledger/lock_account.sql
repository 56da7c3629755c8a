create or replace function core.lock_account(reference anycompatible)
returns supply.accounts
language sql set search_path = pg_catalog, pg_temp
as $$
  select core.end_when_idle();
  select a.* from supply.accounts a
  -- guard: bookings of an account wait for its lock
  where a.id = core.refer_to('account', reference)::bigint for no key update
$$;
comment on function core.lock_account is
  'Returns the account that a reference means (core.refer_to), locked until the transaction ends.';
