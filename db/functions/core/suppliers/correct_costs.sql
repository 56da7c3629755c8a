create or replace function core.correct_costs(results supply.call_result[])
returns supply.occurrence[]
language sql set search_path = pg_catalog, pg_temp
as $$
  with charged as (
    update supply.order_items i set
      supplier_cost = n.unit_price, supplier_currency = n.currency, rate = n.rate,
      cost = case when n.unit_price * n.rate < 99999999999 then ceil(n.unit_price * n.rate * 100) / 100 end,
      offered_cost = i.supplier_cost, offered_currency = i.supplier_currency
    from (
      select r.item_id, r.unit_price, said.currency, case
          when said.currency = known.supplier_currency then known.rate
          when said.currency = o.currency then 1
          else (
            select t.rate from supply.rates t where t.from_currency = said.currency and t.to_currency = o.currency)
        end as rate
      from unnest(results) as r
      cross join lateral (select k.* from supply.order_items k where k.id = r.item_id offset 0) as known
      cross join lateral (select t.* from supply.orders t where t.id = known.order_id offset 0) as o
      cross join lateral (
        select coalesce(r.price_currency, known.supplier_currency, o.currency) as currency) as said
      where r.verdict = 'settled' and r.delivered > 0
        and (r.unit_price, said.currency) is distinct from (known.supplier_cost, known.supplier_currency)
        and r.unit_price is not null
    ) as n
    where i.id = n.item_id
    returning i.id, i.supplier, i.supplier_cost, i.supplier_currency, i.offered_cost, i.offered_currency
  )
  select coalesce(array_agg(row('supplier_price', c.supplier, null, format(
    'supplier %s charged %s %s for a unit of item %s; its offer said %s %s', c.supplier, c.supplier_cost,
    c.supplier_currency, c.id, c.offered_cost, c.offered_currency))::supply.occurrence), '{}')
  from charged c
  where c.supplier_currency <> c.offered_currency or abs(c.supplier_cost - c.offered_cost) > c.offered_cost * 0.01
$$;
comment on function core.correct_costs is
  'Writes what suppliers say that they charged into the items that results deliver, beside the cost of the offer where
it differs. Returns the alerts of differences above 1 per cent, or in the currency. Call it before core.settle_items.';
