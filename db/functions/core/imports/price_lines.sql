create or replace function core.price_lines(import_id bigint)
returns setof supply.price_line
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with given as materialized (
    select row_number() over (order by l.id)::int as line, v.*,
      core.fault_of_values(l.given, '{"product_id": "int", "price": "numeric", "min_quantity": "int"}', '{price}')
        as fault
    from supply.import_lines l
    cross join lateral jsonb_to_record(l.given) as v (list text, product_id text, price text, min_quantity text)
    where l.import_id = price_lines.import_id
  ), list as materialized (
    select l.id, l.name, l.name as reference from supply.price_lists l
    union all
    select l.id, l.name, l.id::text from supply.price_lists l
  ), meant as materialized (
    select g.*, l.id as list_id, l.name as list_name, g.number as id, p.name, p.currency,
      case when g.fault is null then nullif(g.price, '<none>')::numeric end as new_price,
      case
        when g.min_quantity is null then 1
        when pg_input_is_valid(g.min_quantity, 'int') then g.min_quantity::int
      end as quantity
    from (
      select g.*, case when pg_input_is_valid(g.product_id, 'int') then g.product_id::int end as number from given g
    ) as g
    left join list l on l.reference = g.list
    left join supply.products p on p.id = g.number
  ), compared as (
    select m.*, o as before, count(*) over same as times, min(m.line) over same as first_line,
      max(m.line) over same as last_line
    from meant m
    left join supply.list_prices o
      on o.list_id = m.list_id and o.product_id = m.id and o.min_quantity = m.quantity and o.price is not null
    window same as (partition by m.list_id, m.id, m.quantity, case
      when m.list_id is null or m.name is null or m.quantity is null then m.line end)
  ), judged as (
    select c.*, nullif(concat_ws('; ', c.fault,
      case when c.list is null then 'the list is missing'
        when c.list_id is null then format('there is no price list %L: ops.upsert_price_list creates one', c.list) end,
      case when c.product_id is null then 'the product_id is missing'
        when c.name is null and c.id is not null then format('there is no product %s', c.id) end,
      case when c.quantity < 1 then 'min_quantity must be at least 1' end,
      case when c.price is null and c.before is null then 'the price is missing'
        when c.new_price is not null and not core.is_money(c.new_price, c.currency)
          then core.price_rule(c.currency) end,
      case when c.times > 1 then format('the same price is in lines %s and %s', c.first_line, c.last_line) end), '')
      as all_faults
    from compared c
  )
  select j.line, concat_ws(': ', coalesce(j.list_name, j.list), concat(coalesce(
        j.id || ' (' || j.name || ')', 'product ' || j.product_id),
      case when j.quantity > 1 then format(' from %s units on', j.quantity) end)),
    j.all_faults, j.before, case when j.all_faults is null then row(j.list_id, j.id, j.quantity,
      case when j.price is null then (j.before).price else j.new_price end, null)::supply.list_prices end
  from judged j
  order by j.line
$$;
comment on function core.price_lines is 'Returns the lines of an import of prices with what each means now.';
