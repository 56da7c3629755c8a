-- Roles: trade, finance
create or replace function ops.set_supplier_threshold(code text, amount numeric)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known supply.suppliers := core.lock_supplier(code);
  balance supply.supplier_balances;
begin
  perform core.require(coalesce(amount between 0 and 100000000000 and amount = round(amount, 2), true),
    'amount must be from 0 to 100000000000, with at most 2 decimals; null: no threshold');
  if known.balance_threshold is not distinct from amount then
    raise notice 'the threshold of supplier % is % already: nothing changed', known.code,
      coalesce(known.balance_threshold::text, 'not set');
    return;
  end if;
  update supply.suppliers s set balance_threshold = amount, updated_at = now() where s.code = known.code;
  perform core.log_operator('set_supplier_threshold', 'supplier ' || known.code,
    jsonb_build_object('amount', amount, 'before', known.balance_threshold));
  select b.* into balance from supply.supplier_balances b where b.supplier = known.code;
  raise notice 'supplier %: alert at or below a balance of % → %; the balance is %', known.code,
    coalesce(known.balance_threshold::text, 'not set'), coalesce(amount::numeric(14, 2)::text, 'not set'),
    coalesce(balance.balance || ' ' || balance.currency, 'not known');
end
$$;
comment on function ops.set_supplier_threshold is
  'Sets at or below which balance there (in the currency of that balance; null: none) operators are alerted. A line of
ops.attention and the alert end by themselves once the balance is above it.';
