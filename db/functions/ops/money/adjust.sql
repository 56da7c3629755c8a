-- Roles: finance
create or replace function ops.adjust(
  account_id anycompatible, amount numeric, reference text, note text, allow text[] default '{}'
)
returns numeric
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.require(core.is_money(abs(amount)),
    'amount must not be 0, at most 100000000000 either way, with at most 2 decimals');
  perform core.require(length(core.trim_blanks(note)) between 1 and 1000, 'note must say why, in 1 to 1000 characters');
  return core.post_once(
    'adjust', core.refer_to('account', account_id)::bigint, amount, reference, note, allow => adjust.allow);
end
$$;
comment on function ops.adjust is
  'Corrects a balance by a signed amount (account currency, at most 2 decimals), down to 0, and returns the balance;
null: it waits for a second login. note: why. A reference is booked once; its case and the blanks around it do not
count. A repeat changes nothing. allow: large_amount, closed_account.';
