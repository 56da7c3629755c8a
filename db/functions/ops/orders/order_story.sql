-- Roles: support, trade, finance
create or replace function ops.order_story(reference text)
returns table (at timestamptz, elapsed interval, actor text, what text, detail text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  order_id bigint;
  placed_at timestamptz;
begin
  select o.id, o.created_at into strict order_id, placed_at
  from supply.orders o where o.code = core.refer_to('order', reference);
  return query
  select date_trunc('milliseconds', s.at), date_trunc('milliseconds', s.at - placed_at), s.actor, s.what, s.detail
  from (
    select * from core.story_of_order(order_id)
    union all select * from core.story_of_items(order_id)
    union all select * from core.story_of_deliveries(order_id)
    union all select * from core.story_of_alerts(order_id)
    union all select * from core.story_of_operators(order_id)
    union all select * from core.story_of_plans(order_id)
  ) as s
  order by s.at, s.place, s.detail;
end
$$;
comment on function ops.order_story is
  'Returns what happened to one order, in order of time, and the next planned step. Takes an order code, external id,
payment code, item id, event id, supplier''s order id, request id or trace id. elapsed: since the placing. Shows no code
and no token. Raises if no order or several have the reference, with what to give instead.';
