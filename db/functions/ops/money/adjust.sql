-- Roles: finance
create or replace function ops.adjust(
  account_id anycompatible, amount numeric, reference text, note text, order_code text default null,
  allow text[] default '{}'
)
returns numeric
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant bigint := core.refer_to('account', account_id);
  adjusted supply.orders;
begin
  perform core.require(core.is_money(abs(amount)),
    'amount must not be 0, at most 100000000000 either way, with at most 2 decimals');
  if order_code is not null then
    select o.* into strict adjusted from supply.orders o where o.code = core.refer_to('order', order_code);
    perform core.require(adjusted.account_id = wanted_id,
      format('order %s is of account %s, not of account %s', adjusted.code, adjusted.account_id, wanted_id));
  end if;
  return core.post_once('adjust', wanted_id, amount, reference, note, allow => adjust.allow, adjusted => adjusted);
end
$$;
comment on function ops.adjust is
  'Corrects a balance by a signed amount (account currency, at most 2 decimals), down to 0, and returns the balance;
null: it waits for a second login. note: why. order_code: the account''s order that it is about. A reference is
booked once, whatever its case and blanks around it. A repeat changes nothing. allow: large_amount, closed_account.';
