create or replace view ops.today as
with business as (
  select z.zone, now() at time zone z.zone as at
  from (select coalesce((select b.name from supply.business_zone b), 'UTC') as zone) as z
), days as (
  select 'today' as day, date_trunc('day', b.at) at time zone b.zone as from_at, now() as to_at from business b
  union all
  select 'before', (date_trunc('day', b.at) - interval '7 days') at time zone b.zone,
    (b.at - interval '7 days') at time zone b.zone
  from business b
), figures (day, currency, place, what, value) as (
  select d.day, null::text, f.*
  from days d
  cross join lateral (
    select count(*) as placed, count(*) filter (where o.status = 'completed') as completed,
      count(*) filter (where o.outcome = 'none') as failed, count(*) filter (where o.outcome = 'partial') as partial,
      count(*) filter (where o.outcome is null) as open
    from supply.orders o where o.created_at >= d.from_at and o.created_at < d.to_at
  ) as o
  cross join lateral (values
    (1, 'orders', o.placed::numeric), (2, 'completed', o.completed), (3, 'failed', o.failed), (4, 'partial', o.partial),
    (5, 'still open', o.open), (11, 'webhooks dead', (
      select count(*) from supply.events e
      where e.state = 'dead' and not e.simulated and e.dead_at >= d.from_at and e.dead_at < d.to_at))) as f
  union all
  select d.day, m.currency, f.*
  from days d
  cross join lateral (
    select m.currency, sum(m.sold) as sold, sum(m.refunded + m.adjusted) as refunded, sum(m.margin) as margin
    from ops.margins(d.from_at, d.to_at) m group by m.currency
  ) as m
  cross join lateral (values
    (6, 'sold', m.sold), (7, 'refunded', m.refunded), (8, 'revenue', m.sold - m.refunded), (9, 'margin', m.margin)) as f
  union all
  select 'today', null, 10, 'webhooks late', count(*) from supply.events e
  where e.state in ('waiting', 'queued', 'ready', 'sending') and e.attempts > 0 and not e.simulated
  union all
  select 'today', null, 12, 'suppliers not well', count(*) from ops.supplier_health h
  where h.active and h.state in ('paused', 'silent', 'circuit_open', 'failing')
)
select f.what, f.currency,
  coalesce(max(f.value) filter (where f.day = 'today'), 0) as today,
  case when f.place not in (10, 12) then coalesce(max(f.value) filter (where f.day = 'before'), 0) end as week_before,
  (select b.zone from business b) as zone
from figures f
group by f.place, f.what, f.currency
order by f.place, f.currency;
comment on view ops.today is
  'The figures of the day so far, beside the same hours of the same weekday a week before. The day begins at midnight
in zone. Orders and money count on the day on which the order was placed.';
comment on column ops.today.what is 'The figure.';
comment on column ops.today.currency is 'The currency of an amount; null: a count.';
comment on column ops.today.today is
  'Since midnight. margin excludes items of unknown cost. Webhooks late, and suppliers not well: now.';
comment on column ops.today.week_before is
  'The same a week before, up to the same time of day; null for figures of now.';
comment on column ops.today.zone is 'Where the day begins: BUSINESS_TIME_ZONE.';
