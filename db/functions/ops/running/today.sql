create or replace view ops.today as
with days as (
  select 'today' as day, date_trunc('day', now()) as from_at, now() as to_at
  union all
  select 'before', date_trunc('day', now()) - interval '7 days', now() - interval '7 days'
), orders as (
  select d.day, o.status, o.outcome
  from days d join supply.orders o on o.created_at >= d.from_at and o.created_at < d.to_at
), money as (
  select d.day, m.currency, sum(m.sold) as sold, sum(m.refunded) as refunded, sum(m.margin) as margin
  from days d cross join lateral ops.margins(d.from_at, d.to_at) m group by d.day, m.currency
), figures (place, what, currency, day, value) as (
  select 1, 'orders', null::text, o.day, count(*)::numeric from orders o group by o.day
  union all
  select 2, 'completed', null, o.day, count(*) from orders o where o.status = 'completed' group by o.day
  union all
  select 3, 'failed', null, o.day, count(*) from orders o where o.outcome = 'none' group by o.day
  union all
  select 4, 'partial', null, o.day, count(*) from orders o where o.outcome = 'partial' group by o.day
  union all
  select 5, 'still open', null, o.day, count(*) from orders o where o.outcome is null group by o.day
  union all
  select 6, 'sold', m.currency, m.day, m.sold from money m
  union all
  select 7, 'refunded', m.currency, m.day, m.refunded from money m
  union all
  select 8, 'revenue', m.currency, m.day, m.sold - m.refunded from money m
  union all
  select 9, 'margin', m.currency, m.day, m.margin from money m
  union all
  select 10, 'webhooks late', null, 'today', count(*) from supply.events e
  where e.state in ('waiting', 'queued', 'ready', 'sending') and e.attempts > 0 and not e.simulated
  union all
  select 11, 'webhooks dead', null, d.day, count(*) from days d
  join supply.events e on e.state = 'dead' and not e.simulated and e.dead_at >= d.from_at and e.dead_at < d.to_at
  group by d.day
  union all
  select 12, 'suppliers not well', null, 'today', count(*) from ops.supplier_health h
  where h.active and h.state in ('paused', 'silent', 'circuit_open', 'failing')
), kinds (place, what) as (
  values (1, 'orders'), (2, 'completed'), (3, 'failed'), (4, 'partial'), (5, 'still open'), (10, 'webhooks late'),
    (11, 'webhooks dead'), (12, 'suppliers not well')
)
select k.what, k.currency,
  coalesce(max(f.value) filter (where f.day = 'today'), 0) as today,
  case when k.place not in (10, 12) then coalesce(max(f.value) filter (where f.day = 'before'), 0) end as week_before
from (
  select kinds.place, kinds.what, null::text as currency from kinds
  union
  select f.place, f.what, f.currency from figures f
) as k
left join figures f on f.what = k.what and f.currency is not distinct from k.currency
group by k.place, k.what, k.currency
order by k.place, k.currency;
comment on view ops.today is
  'The day so far at a glance, beside the same hours of the same weekday a week before. The day begins at midnight in the time zone of
the session. Orders and money count on the day on which the order was placed.';
comment on column ops.today.what is 'What is counted.';
comment on column ops.today.currency is 'The currency of an amount; null: a number of things.';
comment on column ops.today.today is 'Since midnight. margin leaves out items of unknown cost. Webhooks late, and suppliers not well: now.';
comment on column ops.today.week_before is 'The same a week before, up to the same time of the day; null: it is known for now alone.';
