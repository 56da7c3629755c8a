create or replace function core.account_amount(account supply.accounts, amount numeric)
returns numeric
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.require(core.is_money(abs(amount), account.currency),
    format('amounts in %s have at most %s decimals', account.currency, core.decimals(account.currency)));
  return amount::numeric(14, 2);
end
$$;
comment on function core.account_amount is
  'Returns a signed amount with two decimals. Raises if it has more decimals than the account''s currency.';
