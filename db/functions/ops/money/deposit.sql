-- Roles: finance
create or replace function ops.deposit(
  account_id anycompatible, amount numeric, reference text, currency text default null, allow text[] default '{}'
)
returns numeric
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  -- Not within the query below: planning would look it up before it can see an account that this same statement made.
  wanted_id constant bigint := core.refer_to('account', account_id);
  account supply.accounts;
begin
  perform core.require(core.is_money(amount), 'amount must be above 0, at most 100000000000, with at most 2 decimals',
    hint => 'To take money from a balance, use ops.adjust with a negative amount.');
  select a.* into strict account from supply.accounts a where a.id = wanted_id;
  perform core.require(deposit.currency is null or deposit.currency = account.currency,
    format('account %s (%s) is in %s: a deposit of %s %s cannot be booked there', account.id, account.name,
      account.currency, amount, deposit.currency),
    hint => 'Convert the amount, or deposit it to an account in its currency: select * from ops.accounts.');
  return core.post_once('deposit', account.id, amount, reference, allow => deposit.allow);
end
$$;
comment on function ops.deposit is
  'Adds money to a balance (at most 2 decimals; currency: refused unless it is the account''s) and returns the balance;
null: it waits for a second login. A reference is booked once; its case and the blanks around it do not count. A repeat
changes nothing. allow: large_amount, known_reference (of another account), closed_account.';
