create or replace function core.judge_cards(lines supply.code_line[])
returns supply.code_line[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with identified as materialized (
    select l.*, core.code_identity(l.card) as identity,
      min(l.line) over (partition by core.code_identity(l.card)) as first
    from unnest(lines) as l
  )
  select array_agg(row(i.line, i.id, i.subject, coalesce(i.fault, case
      when i.card is null then null
      when i.first < i.line then format('the code is in line %s, too', i.first)
      else coalesce((
        select 'the stock has this code in batch ' || b.name
        from supply.stock_codes c join supply.stock_batches b on b.id = c.batch_id
        where core.code_identity(c.code) = i.identity and c.state in ('unsealed', 'free') limit 1
      ), (
        select format('order %s has this code', o.code)
        from core.owners_of_codes(array[i.card]) w
        join supply.order_items t on t.id = w.item_id join supply.orders o on o.id = t.order_id limit 1
      ))
    end), i.supplier, i.sku, i.card, i.sell_before, i.cost, i.batch)::supply.code_line order by i.line)
  from identified i
$$;
comment on function core.judge_cards is
  'Returns the codes, with the fault of those that the list, the stock or an item has already. Codes that are sealed and
codes that are not cannot be compared: a worker does that when it seals them.';
