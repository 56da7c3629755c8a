create or replace function core.earliest_call(item supply.order_items)
returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- A lost call may have been sent late in its lease. One that was certainly not sent does not count.
  select max(coalesce(a.finished_at, a.started_at + interval '45 s')) + p.min_wait
  from supply.suppliers s
  join supply.protocols p on p.name = s.protocol
  join supply.supplier_attempts a on a.item_id = item.id and a.supplier = s.code
  where s.code = item.supplier and p.min_wait is not null and a.method in ('put', 'get')
    and coalesce(a.cause, '') not in ('late', 'unreachable')
  group by p.min_wait
$$;
comment on function core.earliest_call is
  'Returns when the supplier may be called again about an item, by the smallest wait of its protocol; null: at any
time.';
