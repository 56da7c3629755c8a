create or replace function api.get_balance(account_id bigint)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select json_build_object(
    'balance', a.balance,
    'currency', a.currency,
    'inOrders', (
      select coalesce(sum(o.total_amount), 0.00) from supply.orders o
      where o.account_id = a.id and o.status in ('pending', 'processing')
    ),
    'lowBalance', a.balance <= a.low_balance_threshold,
    'threshold', a.low_balance_threshold,
    'asOf', core.iso(clock_timestamp()))
  from supply.accounts a
  where a.id = get_balance.account_id
$$;
comment on function api.get_balance is
  'Returns what the account may spend, what is charged on open orders, and whether the balance is at or below its
threshold.';
