create or replace function core.statement_lines(import_id bigint)
returns table (
  line int, supplier text, supplier_order_id text, amount numeric, currency text, status text, at timestamptz,
  item supply.order_items, fault text
)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with given as materialized (
    select row_number() over (order by l.id)::int as line, v.*, core.moment_of(v.at) as moment,
      core.fault_of_values(l.given, '{"amount": "numeric"}', '{}') as value_fault
    from supply.import_lines l
    cross join lateral jsonb_to_record(l.given) as v (
      supplier text, supplier_order_id text, reference text, amount text, currency text, status text, at text)
    where l.import_id = statement_lines.import_id
  ), judged as materialized (
    select g.*, nullif(concat_ws('; ', g.value_fault,
      case when g.supplier is null then 'the supplier is missing'
        when not exists (select from supply.suppliers s where s.code = g.supplier)
          then format('there is no supplier %L', g.supplier) end,
      case when coalesce(g.supplier_order_id, g.reference) is null
        then 'supplier_order_id and reference are missing' end,
      case when upper(g.currency) !~ '^[A-Z]{3}$' then format('currency %L is none', left(g.currency, 40)) end,
      case when lower(g.status) <> all ('{completed,failed,refunded}')
        then format('status %L must be completed, failed or refunded', left(g.status, 40)) end,
      case when g.at is not null and g.moment is null
        then format('at %L must be like 2026-11-30 14:05', left(g.at, 40)) end), '') as fault
    from given g
  )
  select j.line, j.supplier, j.supplier_order_id, case when j.value_fault is null then j.amount::numeric end,
    upper(j.currency), coalesce(lower(j.status), 'completed'), j.moment,
    coalesce(by_id.item, by_reference.item), j.fault
  from judged j
  left join lateral (
    select i as item from supply.order_items i
    where i.supplier_order_id = j.supplier_order_id and i.supplier = j.supplier and i.part = 0
    order by i.status = 'completed' desc, i.order_id, i.position limit 1) as by_id on true
  left join lateral (
    select i as item from supply.order_items i
    where by_id.item is null and i.id = core.uuid_of(j.reference) and i.part = 0) as by_reference on true
$$;
comment on function core.statement_lines is
  'Returns the lines of a supplier''s statement, each with our item (the first delivered one of its order), and why it
is wrong. A line is found by the supplier''s own id, else by our reference.';
