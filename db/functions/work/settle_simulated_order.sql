create or replace function work.settle_simulated_order(order_id uuid)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  placed supply.simulated_orders;
  ended record;
begin
  select o.* into placed from supply.simulated_orders o where o.id = settle_simulated_order.order_id for no key update;
  if not found or placed.completed_at is not null then
    return;
  end if;
  placed.items := (
    select jsonb_agg(case
        when item ? 'completedAt' or placed.created_at + (item ->> 'seconds')::int * interval '1 s' > now() or item ->> 'seconds' is null then item
        else item || jsonb_build_object('completedAt', now()) end order by place)
    from jsonb_array_elements(placed.items) with ordinality as i (item, place));
  placed.due_at := (
    select placed.created_at + min((item ->> 'seconds')::int) * interval '1 s'
    from jsonb_array_elements(placed.items) as i (item) where not item ? 'completedAt');
  placed.updated_at := now();

  if exists (select from jsonb_array_elements(placed.items) as i (item) where not item ? 'completedAt') then
    update supply.simulated_orders o set items = placed.items, due_at = placed.due_at, updated_at = placed.updated_at where o.id = placed.id;
    if placed.due_at is not null then
      perform core.enqueue('settle_simulation', array[placed.id], array[placed.due_at], 'settle_simulation');
    end if;
    return;
  end if;

  select coalesce(sum((part ->> 'amount')::int * (item ->> 'price')::numeric) filter (where part ->> 'status' = 'failed'), 0) as refundable,
    case when bool_and(part ->> 'status' = 'completed') then 'full' when bool_or(part ->> 'status' = 'completed') then 'partial' else 'none' end
      as outcome,
    (array_agg(part ->> 'reason' order by i.place, p.place) filter (where part ->> 'reason' is not null))[1] as reason
  into ended
  from jsonb_array_elements(placed.items) with ordinality as i (item, place)
  cross join lateral jsonb_array_elements(item -> 'parts') with ordinality as p (part, place);
  update supply.simulated_orders o set
    items = placed.items, due_at = null, updated_at = placed.updated_at, completed_at = placed.updated_at, outcome = ended.outcome,
    status = case ended.outcome when 'full' then 'completed' else 'failed' end,
    refunded_amount = ended.refundable, reason = ended.reason
  where o.id = placed.id
  returning o.* into placed;
  perform core.announce_simulated_order(placed);
end
$$;
comment on function work.settle_simulated_order is
  'Ends the items of a simulated order that are due, and plans the next end. With the last one the order ends, and its
event is sent. Does nothing for an order that is final or was deleted.';
