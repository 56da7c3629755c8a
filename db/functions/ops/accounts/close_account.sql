-- Roles: finance
create or replace function ops.close_account(account_id anycompatible)
returns table (
  account bigint, partner text, balance numeric, currency text, keys int, open_orders int, in_orders numeric
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  closed supply.accounts := core.lock_account(account_id);
begin
  select closed.id, closed.name, closed.balance, closed.currency,
    (select count(*)::int from ops.api_keys k where k.account_id = closed.id and k.active),
    count(*)::int, coalesce(sum(o.total_amount), 0)
  into account, partner, balance, currency, keys, open_orders, in_orders
  from supply.orders o where o.account_id = closed.id and o.status in ('pending', 'processing');
  if closed.active then
    update supply.accounts a set active = false where a.id = closed.id;
    perform core.log_operator('close_account', 'account ' || closed.id, jsonb_build_object(
      'balance', balance, 'currency', currency, 'keys', keys, 'open_orders', open_orders, 'in_orders', in_orders));
  end if;
  raise notice '%', concat(format('account %s (%s) is %s. Balance: %s %s. Keys that get 401 now: %s. Open orders: %s',
    closed.id, closed.name, case when closed.active then 'closed' else 'closed already: nothing changed' end,
    balance, currency, keys, open_orders),
    case when open_orders > 0 then format(' (%s %s); they go on, their events are delivered, and a refund raises the '
      'alert closed_account', in_orders, currency) end);
  return next;
end
$$;
comment on function ops.close_account is
  'Closes an account, open orders or not, and returns what remains: its balance, its keys (they get 401), and its open
orders with their charge. A later refund to the account raises an alert. ops.set_account_active opens it again.';
