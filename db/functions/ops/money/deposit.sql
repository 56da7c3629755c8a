-- Roles: finance
create or replace function ops.deposit(account_id anycompatible, amount numeric, reference text)
returns numeric
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.require(core.is_money(amount), 'amount must be above 0, at most 100000000000, with at most 2 decimals',
    hint => 'To take money from a balance, use ops.adjust with a negative amount.');
  return core.post_once('deposit', core.refer_to('account', account_id)::bigint, amount, reference);
end
$$;
comment on function ops.deposit is
  'Adds money to a balance (account currency, at most 2 decimals) and returns the balance. A reference is booked once;
its case and the blanks around it do not count. A repeat changes nothing; with another amount, or of an adjustment, it
is refused.';
