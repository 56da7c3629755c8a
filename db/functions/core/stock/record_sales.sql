create or replace function core.record_sales(
  results supply.call_result[], sale_tokens uuid[], sold_ids uuid[], sold_to uuid[]
)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  -- Codes of items whose result could not be recorded stay free.
  with sold as materialized (
    select u.id, u.item_id from unnest(sold_ids, sold_to) as u (id, item_id)
    join supply.order_items i on i.id = u.item_id and (i.completed_at is not null or i.held_at is not null)
  ), marked as (
    update supply.stock_codes c set state = 'sold', code = null, item_id = s.item_id, sold_at = now()
    from sold s where c.id = s.id
    returning c.item_id, c.cost
  ), average as (
    -- So exact that amount times cost is the sum of the costs, to the cent.
    select m.item_id, round(avg(coalesce(m.cost, k.supplier_cost)), 10) as cost
    from marked m join supply.order_items k on k.id = m.item_id
    group by m.item_id having count(m.cost) > 0
  )
  update supply.order_items i set supplier_cost = a.cost, cost = case
      when a.cost * coalesce(i.rate, 1) < 99999999999 then ceil(a.cost * coalesce(i.rate, 1) * 100) / 100 end
  from average a where i.id = a.item_id;

  insert into supply.supplier_attempts
    (item_id, supplier, method, lease_token, finished_at, outcome, verdict, error_code, error)
  select r.item_id, r.supplier, 'stock', sale_tokens[r.ordinal], now(), r.outcome, case
    when i.supplier <> r.supplier then 'next_supplier'
    when i.held_at is not null then 'held' else 'settled' end::supply.call_verdict, r.error_code, r.error
  from unnest(results) as r join supply.order_items i on i.id = r.item_id
  where i.completed_at is not null or i.held_at is not null or i.supplier <> r.supplier
  order by r.item_id;
end
$$;
comment on function core.record_sales is
  'Marks the codes as sold whose items were settled or held, gives these items the average cost of their codes where
one has a cost of its own, and records the sales among the attempts.';
