create or replace function core.compare_statement(import_id bigint)
returns table (
  line int, supplier text, supplier_order_id text, item_id uuid, order_id bigint, kind text, ours text, theirs text,
  detail text, fault text
)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with lines as materialized (
    select l.*, (l.item).id as item_id, (l.item).supplier = l.supplier as is_there,
      case when items.count > 0 then items.cost else round((l.item).supplier_cost * (l.item).amount, 2) end as cost,
      format('%s × %s%s', (l.item).amount, (l.item).product_name,
        case when items.count > 1 then format(' and %s more', items.count - 1) end) as what,
      first_value(l.line) over (
        partition by l.fault is null, l.supplier, coalesce((l.item).id::text, l.supplier_order_id, l.line::text)
        order by l.line) as first_line
    from core.statement_lines(import_id) as l
    cross join lateral (
      -- An order of the supplier may have several items of ours.
      select count(*), case when count(i.supplier_cost) = count(*)
        then sum(round(i.supplier_cost * i.amount, 2)) end as cost
      from supply.order_items i
      where i.supplier_order_id = l.supplier_order_id and i.supplier = l.supplier and i.part = 0
        and i.status = (l.item).status) as items
  ), span as (
    select l.supplier, min(l.at) + interval '1 hour' as from_at, max(l.at) - interval '1 hour' as to_at
    from lines l where l.fault is null group by l.supplier
  ), judged as (
    select l.*, core.amount_in_words(l.cost, (l.item).supplier_currency) as our_amount,
      core.amount_in_words(l.amount, l.currency) as their_amount,
      case
        when l.fault is not null then null
        when l.line > l.first_line then 'twice'
        when l.item_id is null or not l.is_there then case when l.status <> 'failed'
          and (l.item_id is null or l.status = 'completed') then 'only_theirs' end
        when (l.item).status <> case when l.status = 'completed' then 'completed' else 'failed' end then 'status'
        when l.status <> 'completed' then null
        when l.currency <> (l.item).supplier_currency then 'currency'
        when l.amount is distinct from l.cost and l.amount is not null then 'amount'
      end as kind
    from lines l
  )
  select j.line, j.supplier, coalesce(j.supplier_order_id, (j.item).supplier_order_id), j.item_id, (j.item).order_id,
    j.kind,
    case j.kind when 'status' then (j.item).status when 'only_theirs' then null else coalesce(j.our_amount,
      'unknown') end,
    case j.kind when 'status' then j.status else j.their_amount end,
    case j.kind
      when 'twice' then format('lines %s and %s are about the same order', j.first_line, j.line)
      when 'status' then format('%s is %s here', j.what, case
        when (j.item).completed_at is null then 'open' else (j.item).status end)
      when 'only_theirs' then case when j.item_id is null then 'no item of ours has this id or reference'
        else format('the item is at supplier %s', (j.item).supplier) end
      when 'amount' then case when j.cost is null then 'the item has no known cost'
        else format('%s: %s', j.what, core.change_in_words(j.cost, j.amount, (j.item).supplier_currency)) end
      when 'currency' then j.what
    end, j.fault
  from judged j
  union all
  select null, i.supplier, i.supplier_order_id, i.id, i.order_id, 'only_ours',
    coalesce(core.amount_in_words(round(i.supplier_cost * i.amount, 2), i.supplier_currency), 'unknown'), null,
    format('%s × %s, delivered at %s', i.amount, i.product_name, i.completed_at::timestamptz(0)), null
  from span s
  join supply.order_items i on i.supplier = s.supplier and i.completed_at > s.from_at and i.completed_at < s.to_at
  where i.status = 'completed' and coalesce(i.sent_at, i.completed_at) > s.from_at
    and i.id not in (select l.item_id from lines l where l.item_id is not null)
    and not exists (
      select from lines l where l.supplier_order_id = i.supplier_order_id and l.supplier = i.supplier)
$$;
comment on function core.compare_statement is
  'Returns the lines of a supplier''s statement with how each differs from our items (kind; null: it does not, or it is
wrong), and our items that the statement lacks: those that were sent and ended an hour within its times.';
