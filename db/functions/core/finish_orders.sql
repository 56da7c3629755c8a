create or replace function core.finish_orders(order_ids bigint[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  ended record;
  event_id uuid;
  events uuid[] := '{}';
begin
  for ended in
    select o.id from supply.orders o where o.id = any (order_ids) order by o.account_id, o.id
  loop
    event_id := core.finish_order(ended.id);
    if event_id is not null then
      events := events || event_id;
    end if;
  end loop;
  perform core.enqueue_deliveries(events);
end
$$;
comment on function core.finish_orders is
  'Ends those of the orders whose lines are all final, in the order of accounts, and enqueues their events. The caller holds their locks.';
revoke all on function core.finish_orders from public;
