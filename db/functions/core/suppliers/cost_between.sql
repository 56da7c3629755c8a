create or replace function core.cost_between(supplier text, currency text, from_at timestamptz)
returns numeric
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select case when bool_or(i.supplier_cost is null or i.supplier_currency <> cost_between.currency) then null
    else coalesce(sum(ceil(i.supplier_cost * i.amount * 100) / 100), 0) end
  from (
    select o.* from supply.order_items o
    where o.supplier = cost_between.supplier and o.completed_at is null and o.sent_at is not null
    union all
    select o.* from supply.order_items o
    -- What ended just before a reading may be charged after it.
    where o.supplier = cost_between.supplier and o.completed_at >= from_at - interval '1 minute'
      and o.sent_at is not null
  ) as i
$$;
comment on function core.cost_between is
  'Returns the most that a supplier can have charged since a moment: what the items cost that were sent to it and that
ended after it, or are open. Null: an item has no known cost in this currency.';
