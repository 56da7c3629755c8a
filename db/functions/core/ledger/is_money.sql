create or replace function core.is_money(amount numeric, currency text default 'RUB')
returns boolean
language sql immutable
return coalesce(amount > 0 and amount <= 100000000000 and amount = round(amount, core.decimals(currency)), false);
comment on function core.is_money is
  'Returns whether an amount is valid: above 0, at most 100,000,000,000, and with no more decimals than its currency
has. Amounts are never rounded.';
