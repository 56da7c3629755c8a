create or replace function core.judge_cards(lines supply.code_line[])
returns supply.code_line[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with identified as materialized (
    select l.*, core.code_identity(l.card) as identity,
      min(l.line) over (partition by core.code_identity(l.card)) as first, row_number() over (order by l.line) as place
    from unnest(lines) as l
  ), owned as materialized (
    -- One call for all: for each card it would take most of the time.
    select w.place, min(o.code) as order_code
    from core.owners_of_codes((select array_agg(i.card order by i.place) from identified i)) w
    cross join lateral (
      select o.code from supply.order_items t join supply.orders o on o.id = t.order_id where t.id = w.item_id offset 0
    ) as o
    group by w.place
  )
  select array_agg(row(i.line, i.id, i.subject, coalesce(i.fault, case
      when i.card is null then null
      when i.first < i.line then format('the code is in line %s, too', i.first)
      else coalesce((
        select 'the stock has this code in batch ' || b.name
        from supply.stock_codes c join supply.stock_batches b on b.id = c.batch_id
        where core.code_identity(c.code) = i.identity and c.state in ('unsealed', 'free') limit 1
      ), 'order ' || w.order_code || ' has this code')
    end), i.supplier, i.sku, i.card, i.sell_before, i.cost, i.batch)::supply.code_line order by i.line)
  from identified i left join owned w on w.place = i.place
$$;
comment on function core.judge_cards is
  'Returns the codes, with the fault of those that the list, the stock or an item has already. Codes that are sealed and
codes that are not cannot be compared: a worker does that when it seals them.';
