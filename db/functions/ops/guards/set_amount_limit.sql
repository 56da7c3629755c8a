-- Roles: owner
create or replace function ops.set_amount_limit(currency text, amount numeric)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  rule supply.money_rules := core.lock_money_rule(currency, amount);
begin
  if rule.amount_limit is not distinct from amount then
    raise notice 'the limit of amounts in % is % already: nothing changed', currency, coalesce(amount::text, 'not set');
    return;
  end if;
  update supply.money_rules m set amount_limit = amount where m.currency = set_amount_limit.currency;
  perform core.log_operator('set_amount_limit', 'currency ' || currency,
    jsonb_build_object('amount', amount, 'before', rule.amount_limit));
  raise notice 'deposits, adjustments and refunds in %: the limit without allow => ''{large_amount}'': % → %',
    currency, coalesce(rule.amount_limit::text, 'not set'), coalesce(amount::numeric(14,2)::text, 'not set');
end
$$;
comment on function ops.set_amount_limit is
  'Sets above which absolute amount (null: none) a deposit, adjustment or refund in a currency is refused without allow
=> ''{large_amount}''. Only the owner of the database can call it: the login that migrates.';
