-- Roles: owner
create or replace function ops.set_approval(amount numeric, currency text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  rule supply.money_rules := core.lock_money_rule(currency, amount);
begin
  if rule.approval_above is not distinct from amount then
    raise notice 'the approval limit in % is % already: nothing changed', currency, coalesce(amount::text, 'not set');
    return;
  end if;
  update supply.money_rules m set
    approval_above = amount, approval_since = case when amount is not null then clock_timestamp() end
  where m.currency = set_approval.currency;
  perform core.log_operator('set_approval', 'currency ' || currency,
    jsonb_build_object('amount', amount, 'before', rule.approval_above));
  raise notice 'what one login books in % for one account within 24 hours without a second login: % → %', currency,
    coalesce(rule.approval_above::text, 'any amount'), coalesce(amount::numeric(14,2)::text, 'any amount');
end
$$;
comment on function ops.set_approval is
  'Sets how much one login may book in a currency for one account within 24 hours (absolute amounts of deposits,
adjustments and refunds, from now on); more needs the approval of another login: ops.proposals. Null: no approval is
needed. Only the owner of the database can call it: the login that migrates.';
