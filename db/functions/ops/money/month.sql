-- Roles: finance
create or replace function ops.month(month text)
returns table (
  account_id bigint, partner text, currency text, orders int, sold numeric, refunded numeric, adjusted numeric,
  cost numeric, margin numeric, items_without_cost int, other numeric, closed boolean, zone text
)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select f.account_id, f.partner, f.currency, f.orders, f.sold, f.refunded, f.adjusted, f.cost,
    f.sold - f.refunded - f.adjusted - f.cost, f.items_without_cost, f.other, m.closed, m.zone
  from core.business_month(month.month) as m
  cross join lateral (
    select c.* from core.month_figures(m.from_at, m.to_at) as c where not m.closed
    union all
    select c.* from supply.closed_months k cross join lateral unnest(k.figures) as c
    where m.closed and k.month = m.name
  ) as f
  order by f.account_id
$$;
comment on function ops.month is
  'Returns what was booked in a month (''2026-11''; null: the running one), by account. refunded: with ops.refund_item;
adjusted: ops.adjust for an order, credits positive; other: deposits, and adjustments without an order; cost: of the
items that ended in it. margin: sold - refunded - adjusted - cost. A closed month stays as it was closed.';
