create or replace function ops.order_story(reference text)
returns table (at timestamptz, elapsed interval, actor text, what text, detail text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  order_id bigint;
  placed_at timestamptz;
begin
  order_id := core.refer_to_order(reference);
  placed_at := (select o.created_at from supply.orders o where o.id = order_id);
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
  'Returns what happened to one order, in order of time, and what comes next. Takes an order code, external id,
payment code, item id, event id, supplier''s order id, request id or trace id. elapsed counts from the placing. Shows
no code and no token. Raises where no order or several have the reference, with what to give instead.';
