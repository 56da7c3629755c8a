-- Roles: support, trade, finance
create or replace function ops.order_history(reference text)
returns table (
  at timestamptz, elapsed interval, step text, is_open boolean, outcome text, actor text, what text, detail text
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  order_id bigint;
  placed_at timestamptz;
begin
  select o.id, o.created_at into strict order_id, placed_at
  from supply.orders o where o.code = core.refer_to('order', reference);
  return query
  select date_trunc('milliseconds', h.at), date_trunc('milliseconds', h.at - placed_at), h.step::text, h.is_open,
    h.outcome, h.actor, h.what, core.shown_text(h.detail)
  from (
    select o.at, o.step, false as is_open, null as outcome, o.actor, o.what, o.detail
    from core.history_of_order(order_id) o
    union all
    select i.at, i.step, i.is_open, null, i.actor, i.what, i.detail from core.history_of_items(order_id) i
    union all
    select d.at, d.step, d.step = 'delivery_attempt' and d.outcome is null, d.outcome, d.actor, d.what, d.detail
    from core.history_of_deliveries(order_id) d where d.step <> 'delivered'
    union all
    select a.at, a.step, false, null, a.actor, a.what, a.detail from core.history_of_alerts(order_id) a
    union all
    select o.at, o.step, false, null, o.actor, o.what, o.detail from core.history_of_operators(order_id) o
    union all
    select p.at, p.step, true, null, p.actor, p.what, p.detail from core.history_of_plans(order_id) p
  ) as h
  order by h.at, h.step, h.detail;
end
$$;
comment on function ops.order_history is
  'Returns the rows of ops.order_story with the step as one word (supply.order_step), for programs. is_open: the step
has no result yet; outcome: of a webhook''s attempt. Takes and raises what ops.order_story does.';
