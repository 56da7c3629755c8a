create or replace function work.settle_simulated_order(order_id uuid)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  placed supply.simulated_orders;
  ended record;
  event_id uuid;
begin
  select o.* into placed from supply.simulated_orders o where o.id = settle_simulated_order.order_id
  for no key update skip locked;
  if not found and exists (select from supply.simulated_orders o where o.id = settle_simulated_order.order_id) then
    perform core.enqueue_busy('settle_simulation', array[settle_simulated_order.order_id]);
  end if;
  if not found or placed.completed_at is not null or placed.due_at is null then
    return;
  end if;
  select placed.created_at + max(p.seconds) * interval '1 s' > now() as is_early,
    sum((p.item ->> 'refundedAmount')::numeric) as refunded,
    case
      when bool_and(p.status = 'completed') then 'full' when bool_or(p.status = 'completed') then 'partial' else 'none'
    end as outcome,
    (array_agg(p.reason) filter (where p.reason is not null))[1] as reason,
    json_agg(core.event_item(p.item ->> 'productName', (p.item ->> 'amount')::int, (p.item ->> 'price')::numeric,
      p.item -> 'cdKeys')) as items
  into ended from unnest(placed.parts) as p where p.status <> 'processing';
  -- After a clock was set back, the job can come early.
  if ended.is_early then
    perform core.enqueue('settle_simulation', array[placed.id], array[placed.due_at], 'settle_simulation');
    return;
  end if;
  update supply.simulated_orders o set
    status = case ended.outcome when 'full' then 'completed' else 'failed' end, outcome = ended.outcome,
    refunded_amount = ended.refunded, reason = ended.reason, completed_at = now(), due_at = null
  where o.id = placed.id
  returning o.* into placed;
  -- A partial result has no event, like one of a real order.
  if placed.callback_url is null or placed.outcome = 'partial' then
    return;
  end if;
  insert into supply.events as e (id, account_id, order_code, event_type, callback_url, simulated, body)
  select made.id, placed.account_id, placed.code, made.type, placed.callback_url, true, core.render_event(
    event_id => made.id, event_type => made.type, order_code => placed.code,
    external_order_id => placed.external_order_id, total_amount => placed.total_amount,
    completed_at => placed.completed_at, reason => placed.reason, items => ended.items)
  from (select core.event_id(placed.code) as id, 'order.' || placed.status as type) as made
  returning e.id into event_id;
  perform core.count_hits('samples', array[placed.account_id::text], '{1}', '{60}');
  perform core.enqueue_deliveries(array[event_id]);
end
$$;
comment on function work.settle_simulated_order is
  'Ends a simulated order whose last item has ended, and sends its event as samples are sent. Does nothing for an order
that is final or was deleted. Specification 3.';
