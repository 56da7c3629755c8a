create or replace function api.cancel_order(account_id bigint, code text)
returns table (result text, body json)
language plpgsql security definer set search_path = pg_catalog, pg_temp
  -- Others need the connection.
  set lock_timeout = '200ms'
as $$
declare
  wanted_id bigint;
  items supply.order_items[];
begin
  perform 1 from supply.accounts a where a.id = cancel_order.account_id for no key update;
  select o.id into wanted_id from supply.orders o
  where o.code = cancel_order.code and o.account_id = cancel_order.account_id for no key update;
  if not found then
    return query select 'ORDER_NOT_FOUND', null::json;
    return;
  end if;
  perform 1 from supply.order_items i where i.order_id = wanted_id order by i.id for no key update;
  items := array(
    select i from supply.order_items i
    -- guard: an item that a supplier may have is not cancelled
    where i.order_id = wanted_id and core.is_unsent(i) order by i.position);
  if items = '{}' and not exists (
    select from supply.order_items i where i.order_id = wanted_id and i.error_code = 'CANCELLED')
  then
    return query select 'NOT_CANCELLABLE', null::json;
    return;
  end if;
  perform core.cancel_items(items, 'partner');
  return query select 'cancelled', o.body from core.orders_json(array[wanted_id], false) as o;
end
$$;
comment on function api.cancel_order is
  'Cancels the items of an order that certainly never reached a supplier: they fail with CANCELLED and are refunded
when the order ends. Returns cancelled with the order without codes, also if its items were cancelled before;
ORDER_NOT_FOUND; or NOT_CANCELLABLE: nothing can be cancelled, and nothing was. Specification 3.
nullable: body';
