-- Roles: finance
create or replace function ops.correct_deposit(
  account_id anycompatible, reference text, right_amount numeric, note text, allow text[] default '{}'
)
returns numeric
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  account supply.accounts := core.lock_account(account_id);
  deposit supply.ledger;
  corrected numeric;
  corrections bigint;
begin
  perform core.check_allow(allow);
  perform core.require(right_amount = 0 or core.is_money(right_amount, account.currency), format(
    'right_amount must be from 0 to 100000000000, with at most %s decimals', core.decimals(account.currency)));
  select l.* into deposit from supply.ledger l
  where l.account_id = account.id and l.type = 'deposit'
    and l.plain_reference = core.plain_reference(correct_deposit.reference);
  perform core.require(found, format('account %s (%s) has no deposit with the reference %L', account.id, account.name,
    correct_deposit.reference), 'no_data_found', format('Its deposits: select * from ops.ledger where account_id = %s '
      'and type = ''deposit''.', account.id));
  select deposit.amount + coalesce(sum(l.amount), 0), count(*) into corrected, corrections
  from supply.ledger l
  cross join lateral (select ' of ' || deposit.plain_reference as ending) as e
  where l.account_id = account.id and l.type = 'adjustment' and right(l.plain_reference, length(e.ending)) = e.ending
    and left(l.plain_reference, -length(e.ending)) ~ '^correction( [0-9]+)?$';
  if corrected = right_amount then
    raise notice 'account % (%): the deposit % is % % already: nothing changed', account.id, account.name,
      quote_literal(deposit.reference), corrected, account.currency;
    return account.balance;
  end if;
  return core.post_once('correct_deposit', account.id, right_amount - corrected, format('correction%s of %s',
    ' ' || nullif(corrections + 1, 1), deposit.reference), note, allow => correct_deposit.allow);
end
$$;
comment on function ops.correct_deposit is
  'Brings a deposit to its right amount (0: it was none of this account): books the difference as an adjustment, down to
a balance of 0, with the reference ''correction of …'', and returns the balance; null: it waits for a second login. A
repeat changes nothing. note: why. allow: large_amount, closed_account.';
