create or replace function core.history_of_items(order_id bigint)
returns table (
  at timestamptz, step supply.order_step, actor text, what text, detail text, item_id uuid, is_open boolean
)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with calls as (
    select a as call, coalesce(lead(a.supplier) over later, i.supplier) as next_supplier,
      -- Polls with the same answer share a row: there may be a thousand.
      case when a.method = 'get' and a.verdict = 'waiting' then
        row_number() over later - row_number() over (
          partition by a.item_id, a.supplier, a.method, a.verdict, a.outcome, a.status_code, a.error order by a.id)
      end as run
    from supply.order_items i
    join supply.supplier_attempts a on a.item_id = i.id and a.method not in ('operator', 'partner')
    where i.order_id = history_of_items.order_id
    window later as (partition by a.item_id order by a.id)
  ), told as (
    select (array_agg(c.call order by (c.call).id))[1] as call, count(*) as times, max((c.call).started_at) as last_at,
      (array_agg(c.next_supplier order by (c.call).id desc))[1] as next_supplier
    from calls c
    group by (c.call).item_id, c.run, case when c.run is null then (c.call).id end,
      (c.call).supplier, (c.call).outcome, (c.call).status_code, (c.call).error
  )
  select
    case (t.call).method when 'push' then coalesce((t.call).finished_at, (t.call).started_at)
      else (t.call).started_at end,
    case (t.call).method when 'put' then 'sent_to_supplier' when 'stock' then 'sent_to_supplier'
      when 'get' then 'asked_supplier' else 'pushed' end::supply.order_step,
    case (t.call).method when 'push' then 'supplier' else 'service' end,
    case (t.call).method when 'put' then 'sent to ' when 'get' then 'asked '
      when 'stock' then 'stock ' else 'push from ' end || (t.call).supplier,
    s.label || case (t.call).method when 'put' then format(' (%s × %s)', s.ordered, s.product_name) else '' end
      || case
        when t.times > 1 then format(', %s times within %s', t.times,
          date_trunc('second', t.last_at - (t.call).started_at))
        when (t.call).method <> 'push' and (t.call).finished_at >= (t.call).started_at + interval '1 second'
          then format(', after %s s', round(extract(epoch from (t.call).finished_at - (t.call).started_at)))
        else ''
      end
      || ': ' || core.call_in_words(t.call, s.ordered, t.next_supplier,
        is_under_way => s.lease_token = (t.call).lease_token and s.lease_expires_at > now()),
    s.id, (t.call).finished_at is null
  from told t
  join core.history_items s on s.id = (t.call).item_id and s.order_id = history_of_items.order_id
  union all
  select core.history_end(array[whole.id], s.completed_at), ('item_' || s.status)::supply.order_step, 'service',
    'item ' || s.status,
    format('%s: %s × %s', s.label, s.amount, s.product_name)
      || case
        when s.status = 'failed'
          then '; ' || coalesce('the partner reads: ' || s.error_message, 'the partner reads no reason')
        when s.delivery_type = 'key'
          then format('; codes delivered: %s', (select count(*) from supply.item_keys k where k.item_id = s.id))
        else ''
      end, s.id, false
  from core.history_items s
  join supply.order_items whole on whole.order_id = s.order_id and whole.position = s.position and whole.part = 0
  where s.order_id = history_of_items.order_id and s.completed_at is not null
  union all
  select s.sent_at, 'sent_to_supplier', 'service', 'sent to ' || s.supplier,
    s.label || ': the calls of this item are no longer kept', s.id, false
  from core.history_items s
  where s.order_id = history_of_items.order_id and s.part = 0 and s.sent_at is not null
    and not exists (select from supply.supplier_attempts a where a.item_id = s.id)
$$;
comment on function core.history_of_items is
  'Returns the steps of an order that are calls to suppliers, pushed results, and final items. is_open: no result is
recorded yet.';
