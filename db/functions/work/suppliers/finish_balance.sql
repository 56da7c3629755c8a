create or replace function work.finish_balance(
  supplier text, reading uuid, began_at timestamptz, balance numeric, currency text, error text
)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  code constant text := finish_balance.supplier;
  before supply.supplier_balances;
  booked numeric;
  fall numeric;
begin
  select b.* into before from supply.supplier_balances b
  where b.supplier = code and b.reading = finish_balance.reading for update;
  if not found then
    return false;
  end if;
  if finish_balance.error is not null then
    -- A failed reading keeps the last balance.
    update supply.supplier_balances b set error = left(finish_balance.error, 500) where b.supplier = code;
    perform core.alert_outdated(code);
    return true;
  end if;
  fall := case when before.currency = finish_balance.currency then before.balance - finish_balance.balance end;
  if fall > 0 then
    booked := core.cost_between(code, finish_balance.currency, before.read_at);
    if fall > booked then
      perform core.raise_alerts(array[row('supplier_balance_fell', code, null, format(
        'our balance at supplier %s fell by %s %s since %s, and what we ordered there cost %s at most: who else spends '
        'it?', code, trim_scale(fall), currency, core.iso(before.read_at), trim_scale(booked)))::supply.occurrence]);
    end if;
  end if;
  update supply.supplier_balances b set
    balance = round(finish_balance.balance, greatest(scale(finish_balance.balance), 2)),
    currency = finish_balance.currency, error = null,
    read_at = case when finish_balance.balance is not null then finish_balance.began_at end,
    changed_at = case when b.balance is distinct from finish_balance.balance then now() else b.changed_at end,
    daily_cost = (
      select greatest(sum(i.supplier_cost * i.amount) filter (where i.completed_at >= now() - interval '1 day'),
        sum(i.supplier_cost * i.amount) / 7)
      from supply.order_items i
      where i.supplier = code and i.completed_at >= now() - interval '7 days' and i.status = 'completed'
        and i.supplier_currency = finish_balance.currency)
  where b.supplier = code;
  return true;
end
$$;
comment on function work.finish_balance is
  'Ends a reading of a balance that began_at: what the supplier reported (nulls: nothing), or why it failed. Alerts
operators where a balance fell by more than what we ordered there can have cost. Returns false, and records nothing, if
a later reading has begun.
nullable: balance, currency, error';
