-- Roles: support, trade, finance
create or replace function ops.payables(month text default null)
returns table (
  supplier text, currency text, items int, units bigint, cost numeric, items_without_cost int, zone text
)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select s.code, i.supplier_currency, count(*)::int, sum(i.amount),
    coalesce(sum(round(i.supplier_cost * i.amount, 2)), 0.00), (count(*) filter (where i.supplier_cost is null))::int,
    m.zone
  from core.business_month(payables.month) m
  cross join supply.suppliers s
  join supply.order_items i on i.supplier = s.code and i.completed_at >= m.from_at and i.completed_at < m.to_at
  where i.status = 'completed'
  group by s.code, i.supplier_currency, m.zone
  order by s.code, i.supplier_currency
$$;
comment on function ops.payables is
  'Returns what we owe suppliers for what they delivered in a month (''2026-11''; null: the running one), in their
currencies, by the time at which the items ended; the codes of our own stock count at their costs. cost leaves out
items_without_cost. zone: where the month begins (BUSINESS_TIME_ZONE).';
