create or replace function core.own_order(account_id bigint, code text)
returns bigint
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- With offset 0 the order is read by its code; on an empty table the planner could take another index.
  select found.id
  from (select o.id, o.account_id from supply.orders o where o.code = own_order.code offset 0) as found
  -- guard: an account reads its own orders only
  where found.account_id = own_order.account_id
$$;
comment on function core.own_order is 'Returns the id of the order with this code; null: it is not one of the account.';
