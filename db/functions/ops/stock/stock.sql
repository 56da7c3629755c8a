create or replace view ops.stock as
select s.supplier, s.sku, s.free, s.sold, s.expired, s.withdrawn, s.unsealed, s.next_expiry, s.cost,
  round(s.free / nullif(greatest(s.sold_day, s.sold_week / 7.0), 0), 1) as days_left, t.free as threshold, s.duplicates
from (
  select coalesce(c.supplier, l.supplier) as supplier, coalesce(c.sku, l.sku) as sku,
    count(*) filter (where core.is_sellable(c))::int as free,
    count(*) filter (where c.state = 'sold')::int as sold,
    count(*) filter (where c.state in ('free', 'unsealed') and c.sell_before <= now())::int as expired,
    count(*) filter (where c.state = 'withdrawn')::int as withdrawn,
    count(*) filter (where c.state = 'unsealed' and c.sell_before > now())::int as unsealed,
    count(*) filter (where c.state = 'duplicate')::int as duplicates,
    min(c.sell_before) filter (where core.is_sellable(c) and c.sell_before < 'infinity')
      as next_expiry,
    round(avg(coalesce(c.cost, o.cost)) filter (where core.is_sellable(c)), 2)::numeric(14, 2)
      as cost,
    count(*) filter (where c.sold_at > now() - interval '1 day') as sold_day,
    count(*) filter (where c.sold_at > now() - interval '7 days') as sold_week
  from supply.stock_codes c
  full join supply.stock_thresholds l on l.supplier = c.supplier and l.sku = c.sku
  left join lateral (
    select min(f.cost) as cost from supply.offers f where f.supplier = c.supplier and f.sku = c.sku) as o on true
  group by 1, 2
) as s
left join supply.stock_thresholds t on t.supplier = s.supplier and t.sku = s.sku;
comment on view ops.stock is 'Our own stock of codes, by sku. No code is shown.';
comment on column ops.stock.supplier is 'The supplier of the protocol stock.';
comment on column ops.stock.sku is 'The sku, as the offers have it.';
comment on column ops.stock.free is 'How many codes can be sold now.';
comment on column ops.stock.sold is 'How many codes were sold.';
comment on column ops.stock.expired is 'How many codes expired before they were sold.';
comment on column ops.stock.withdrawn is 'How many codes an operator withdrew.';
comment on column ops.stock.unsealed is 'How many codes wait for a worker to seal them: until then they are not sold.';
comment on column ops.stock.next_expiry is 'When the next free code expires; null: none does.';
comment on column ops.stock.cost is
  'What a free code costs on average, in the currency of the offer; null: not known, or none is free.';
comment on column ops.stock.days_left is
  'For how many days the free codes last, by the sales of the last 24 hours or of 7 days: the smaller; null: none.';
comment on column ops.stock.threshold is 'Below how many free codes operators are alerted (ops.set_stock_threshold).';
comment on column ops.stock.duplicates is 'How many codes are never sold, because another one or an item has the code.';
