create or replace function api.get_order(
  account_id bigint, code text, max_codes int default null, with_deliveries boolean default true
)
returns table (codes int, body json)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  found_id constant bigint := core.own_order(get_order.account_id, get_order.code);
begin
  if found_id is null then
    return;
  end if;
  codes := (
    select coalesce(sum(i.amount), 0) from supply.order_items i
    where i.order_id = found_id and i.delivery_type = 'key' and i.status = 'completed');
  if codes > max_codes then
    return next;
    return;
  end if;
  body := (select o.body from core.orders_json(array[found_id], true) o);
  if with_deliveries then
    body := core.add_member(body, 'deliveries', coalesce((
      select core.event_deliveries(e.id) from supply.events e where e.order_id = found_id), 'null'));
  end if;
  return next;
end
$$;
comment on function api.get_order is
  'Returns an order of the account with the number of its codes and the delivery of its event; its body is null if it
has more than max_codes. No row: the account has no order with this code. Specification 4.
nullable: body';
