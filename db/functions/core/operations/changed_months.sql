create or replace view core.changed_months as
select 'closed_month_agrees_with_the_ledger' as check_name,
  format('month %s of account %s was closed with %s, but now it has %s', m.month, f.account_id,
    coalesce(f.closed, 'nothing'), coalesce(f.now, 'nothing')) as detail
from supply.closed_months m
cross join lateral (
  select w.account_id, min(w.words) filter (where w.is_closed) as closed,
    min(w.words) filter (where not w.is_closed) as now
  from (
    select b.is_closed, b.account_id, format(
      'orders %s, sold %s, refunded %s, adjusted %s, cost %s (%s items without), other %s', b.orders, b.sold,
      b.refunded, b.adjusted, b.cost, b.items_without_cost, b.other) as words
    from (
      select true as is_closed, k.* from unnest(m.figures) as k
      union all
      select false, k.* from core.month_figures(m.from_at, m.to_at) as k) as b
  ) as w
  group by w.account_id
) as f
where f.closed is distinct from f.now;
comment on view core.changed_months is
  'The rows of ops.audit_all about closed months: their figures must be those of the ledger and the items. It reads the
whole ledger. The name of a partner may have changed since.';
