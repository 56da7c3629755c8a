create or replace function core.code_lines(import_id bigint)
returns supply.code_line[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with given as (
    select row_number() over (order by l.id)::int as line, v.*,
      core.fault_of_values(l.given, '{"cost": "numeric"}', '{}') as wrong_value
    from supply.import_lines l
    cross join lateral jsonb_to_record(l.given) as v (
      id uuid, fault text, card text, supplier text, sku text, cost text, batch text, expires_at text)
    where l.import_id = code_lines.import_id
  )
  select array(
    select row(g.line, g.id, concat_ws(' / sku ', g.supplier, g.sku), nullif(concat_ws('; ', g.fault, g.wrong_value,
        case
          when g.supplier is null then 'the supplier is missing'
          when s.code is null then format('there is no supplier %L', g.supplier)
          when s.protocol <> 'stock' then format('supplier %s is no stock of our own', g.supplier)
        end,
        case when length(g.sku) between 1 and 200 is not true then 'sku must have 1 to 200 characters' end,
        case when g.wrong_value is null and (g.cost::numeric not between 0 and 99999999999
            or g.cost::numeric <> round(g.cost::numeric, 2))
          then 'cost must be 0 or more, with at most 2 decimals' end,
        case when length(g.batch) > 200 then 'batch must have up to 200 characters' end), ''),
      g.supplier, g.sku, g.card, core.expiry_of(g.expires_at),
      case when g.wrong_value is null then g.cost::numeric end, g.batch)::supply.code_line
    from given g left join supply.suppliers s on s.code = g.supplier order by g.line)
$$;
comment on function core.code_lines is
  'Returns the lines of an import of codes with their faults, those that core.judge_cards finds aside.';
