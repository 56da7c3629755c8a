create or replace function core.month_figures(from_at timestamptz, to_at timestamptz)
returns setof supply.month_figures
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  with span as materialized (
    -- A range of seq, as in ops.statement: no entry belongs to two months, or to none.
    select a.id, a.name, a.currency, coalesce(before.seq, 0) as after_seq, coalesce(last.seq, 0) as last_seq
    from supply.accounts a
    left join lateral (
      select l.seq from supply.ledger l where l.account_id = a.id and l.created_at < from_at
      order by l.created_at desc, l.seq desc limit 1) as before on true
    left join lateral (
      select l.seq from supply.ledger l where l.account_id = a.id and l.created_at < to_at
      order by l.created_at desc, l.seq desc limit 1) as last on true
  ), booked as (
    select s.id, count(*) filter (where l.type = 'order_charge')::int as orders,
      -coalesce(sum(l.amount) filter (where l.type = 'order_charge'), 0.00) as sold,
      coalesce(sum(l.amount) filter (where l.type = 'order_refund' or l.item_id is not null), 0.00) as refunded,
      coalesce(sum(l.amount) filter (where l.adjusted_order_id is not null and l.item_id is null), 0.00) as adjusted,
      coalesce(sum(l.amount) filter (where l.type in ('deposit', 'adjustment') and l.adjusted_order_id is null), 0.00)
        as other
    from span s
    join supply.ledger l on l.account_id = s.id and l.seq > s.after_seq and l.seq <= s.last_seq
    where s.last_seq > s.after_seq group by s.id
  ), ended as (
    select o.account_id, coalesce(sum(core.cost_of_units(i.amount, i.cost, i.supplier_cost, i.rate)), 0.00) as cost,
      (count(*) filter (where i.cost is null))::int as items_without_cost
    from supply.order_items i join supply.orders o on o.id = i.order_id
    where i.supplier = any (array(select s.code from supply.suppliers s))
      and i.completed_at >= from_at and i.completed_at < to_at and i.status = 'completed'
    group by o.account_id
  )
  select s.id, s.name, s.currency, coalesce(b.orders, 0), coalesce(b.sold, 0.00), coalesce(b.refunded, 0.00),
    coalesce(b.adjusted, 0.00), coalesce(e.cost, 0.00), coalesce(e.items_without_cost, 0), coalesce(b.other, 0.00)
  from span s
  left join booked b on b.id = s.id
  left join ended e on e.account_id = s.id
  where b.id is not null or e.account_id is not null
  order by s.id;
end
$$;
comment on function core.month_figures is
  'Returns the figures of ops.month of a period, from the ledger and the items, a row for each account that has any.';
