create or replace function core.is_money(amount numeric)
returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
return coalesce(is_money.amount > 0 and is_money.amount <= 100000000000 and is_money.amount = round(is_money.amount, 2), false);
comment on function core.is_money is
  'Whether an amount can be taken as it stands: above 0, at most a hundred thousand million, and with no more than 2 '
  'decimals. Amounts are never rounded.';
