create or replace function core.record_sales(
  results supply.call_result[], sale_tokens uuid[], sold_ids uuid[], sold_to uuid[]
)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  -- Codes of items whose result could not be recorded stay free.
  with marked as (
    update supply.stock_codes c set state = 'sold', code = null, item_id = s.item_id, sold_at = now()
    from (
      select u.item_id, (select k.ctid from supply.stock_codes k where k.id = u.id) as at
      from unnest(sold_ids, sold_to) as u (id, item_id)
      where (
        select i.completed_at is not null or i.held_at is not null from supply.order_items i where i.id = u.item_id)
    ) as s
    -- A join by id has a plan that is made while the table is empty read all of it, and the plan is kept.
    where c.ctid = s.at
    returning c.item_id, c.cost
  ), average as (
    -- So exact that amount times cost is the sum of the costs, to the cent.
    select m.item_id, round(avg(coalesce(m.cost, k.supplier_cost)), 10) as cost
    from marked m
    cross join lateral (select i.supplier_cost from supply.order_items i where i.id = m.item_id offset 0) as k
    group by m.item_id having count(m.cost) > 0
  )
  update supply.order_items i set supplier_cost = a.cost, cost = case
      when a.cost * coalesce(i.rate, 1) < 99999999999 then ceil(a.cost * coalesce(i.rate, 1) * 100) / 100 end
  from average a where i.id = a.item_id and i.id = any (sold_to);

  insert into supply.supplier_attempts
    (item_id, supplier, method, lease_token, finished_at, outcome, verdict, error_code, error)
  select r.item_id, r.supplier, 'stock', sale_tokens[r.ordinal], now(), r.outcome, case
    when i.supplier <> r.supplier then 'next_supplier'
    when i.held_at is not null then 'held' else 'settled' end::supply.call_verdict, r.error_code, r.error
  from unnest(results) as r
  cross join lateral (select i.* from supply.order_items i where i.id = r.item_id offset 0) as i
  where i.completed_at is not null or i.held_at is not null or i.supplier <> r.supplier
  order by r.item_id;
end
$$;
comment on function core.record_sales is
  'Marks the codes as sold whose items were settled or held, gives these items the average cost of their codes where
one has a cost of its own, and records the sales among the attempts.';
