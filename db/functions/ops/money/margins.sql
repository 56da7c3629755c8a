-- Roles: support, trade, finance
create or replace function ops.margins(
  from_at timestamptz default null, to_at timestamptz default null, by text default 'ordered'
)
returns table (
  day date, product_id int, product text, supplier text, account_id bigint, partner text, currency text, items int,
  open_items int, sold numeric, refunded numeric, cost numeric, margin numeric, items_without_cost int,
  sold_without_cost numeric, zone text, adjusted numeric
)
-- A plan of its own for each period: of a month by index, of a year by the whole tables.
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
as $$
declare
  in_zone constant text := core.business_zone();
begin
  perform core.require(coalesce(from_at <= to_at, true), 'from_at must not be after to_at');
  perform core.require(coalesce(by in ('ordered', 'ended'), false), 'by must be ordered or ended');
  return query
  select i.day, i.product_id, (select p.name from supply.products p where p.id = i.product_id), i.supplier,
    i.account_id, (select a.name from supply.accounts a where a.id = i.account_id), i.currency, count(*)::int,
    (count(*) filter (where i.is_open))::int, sum(i.sold), sum(i.refunded), sum(i.cost),
    sum(i.sold - i.refunded - i.adjusted - i.cost), (count(*) filter (where i.cost is null))::int,
    coalesce(sum(i.sold - i.refunded - i.adjusted) filter (where i.cost is null), 0.00), in_zone, sum(i.adjusted)
  from (
    select (counted.at at time zone in_zone)::date as day, i.product_id, i.supplier, o.account_id, o.currency,
      o.completed_at is null as is_open, i.price * i.amount as sold,
      i.refunded_amount + coalesce(g.amount, 0) as refunded,
      -- What is about a whole order stands with its first item.
      case when i.position = 0 and i.part = 0 then coalesce(a.amount, 0.00) else 0.00 end as adjusted,
      -- Nobody pays for what was not delivered.
      case when i.status = 'failed' and i.refunded_amount > 0 then 0.00
        else core.cost_of_units(i.amount, i.cost, i.supplier_cost, i.rate) end as cost
    from supply.orders o
    join supply.order_items i on i.order_id = o.id
    left join (
      select l.item_id, sum(l.amount) as amount from supply.ledger l
      where l.type = 'adjustment' and l.item_id is not null group by l.item_id
    ) as g on g.item_id = i.id
    left join (
      select l.adjusted_order_id, sum(l.amount) as amount from supply.ledger l
      where l.adjusted_order_id is not null and l.item_id is null group by l.adjusted_order_id
    ) as a on a.adjusted_order_id = o.id
    cross join lateral (select case by when 'ended' then i.completed_at else o.created_at end as at) as counted
    where counted.at >= coalesce(from_at, '-infinity') and counted.at < coalesce(to_at, 'infinity')
      -- The index of items that ended begins with the supplier.
      and (by = 'ordered' or i.supplier = any (array(select s.code from supply.suppliers s)))
  ) as i
  group by i.day, i.product_id, i.supplier, i.account_id, i.currency
  order by i.day, i.product_id, i.supplier, i.account_id;
end
$$;
comment on function ops.margins is
  'Returns margins by day (in zone, BUSINESS_TIME_ZONE), product, supplier and partner, of the items ordered (open ones
count as delivered), or ended, in a period (null: no bound). margin: sold - refunded - adjusted - cost, without items
without cost; null if none has one. refunded includes ops.refund_item; adjusted: ops.adjust, with the first item.';
