create or replace function core.finish_order(order_id bigint)
returns uuid
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  ended supply.orders;
  line supply.order_items;
  completed int;
  failed int;
  unfinished int;
  event_id uuid;
begin
  select count(*) filter (where i.status = 'completed'), count(*) filter (where i.status = 'failed'),
    count(*) filter (where i.completed_at is null)
  into completed, failed, unfinished
  from supply.order_items i where i.order_id = finish_order.order_id;

  if unfinished > 0 then
    update supply.orders o set updated_at = now() where o.id = finish_order.order_id;
    return null;
  end if;

  update supply.orders o set
    status = case when failed = 0 then 'completed' else 'failed' end,
    outcome = case when failed = 0 then 'full' when completed = 0 then 'none' else 'partial' end,
    refunded_amount = (
      select coalesce(sum(i.price * i.amount), 0) from supply.order_items i where i.order_id = o.id and i.status = 'failed'),
    reason = (
      select i.error_message from supply.order_items i
      where i.order_id = o.id and i.status = 'failed' and i.error_message is not null
      order by i.position, i.part limit 1),
    completed_at = now(), updated_at = now()
  where o.id = finish_order.order_id and o.completed_at is null
  returning o.* into ended;
  if ended.id is null then
    return null;
  end if;

  for line in
    select i.* from supply.order_items i where i.order_id = ended.id and i.status = 'failed' order by i.position, i.part
  loop
    perform core.post_ledger(ended.account_id, 'order_refund', line.price * line.amount,
      order_id => ended.id, item_id => line.id, payment_code => ended.payment_code);
    update supply.order_items i set refunded_amount = line.price * line.amount where i.id = line.id;
  end loop;

  if ended.callback_url is not null and ended.outcome <> 'partial' then
    event_id := gen_random_uuid();
    insert into supply.events (id, account_id, order_id, order_code, event_type, callback_url, body)
    values (event_id, ended.account_id, ended.id, ended.code, 'order.' || ended.status, ended.callback_url,
      core.event_body(event_id, 'order.' || ended.status, ended.id, now()));
  end if;
  return event_id;
end
$$;
comment on function core.finish_order is
  'Ends an order all of whose lines are final: status and outcome, the refund of its failed lines, and the event, whose id it gives '
  '(null: the order is still open, or has no event). The caller holds the order''s lock and enqueues the delivery. Specification 3.';
revoke all on function core.finish_order from public;
