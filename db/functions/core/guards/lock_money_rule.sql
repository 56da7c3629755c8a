create or replace function core.lock_money_rule(currency text, amount numeric)
returns supply.money_rules
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  rule supply.money_rules;
begin
  perform core.require(core.decimals(currency) is not null,
    'currency must be three capital letters, such as RUB, of a currency with at most 2 decimals');
  perform core.require(coalesce(amount = 0 or core.is_money(amount, currency), true),
    format('amount must be from 0 to 100000000000, with at most %s decimals; null lifts the limit',
      core.decimals(currency)));
  insert into supply.money_rules (currency) values (lock_money_rule.currency)
  on conflict on constraint money_rules_pkey do nothing;
  select m.* into strict rule from supply.money_rules m
  where m.currency = lock_money_rule.currency for no key update;
  return rule;
end
$$;
comment on function core.lock_money_rule is
  'Returns the owner''s rules for amounts in a currency, locked until the transaction ends. Raises if there is no such
currency, and for an amount that cannot be a limit in it.';
