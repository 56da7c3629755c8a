create or replace function core.cancel_items(items supply.order_items[], method text, note text default null)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  cancelled supply.call_result[] := '{}';
  settled supply.call_result;
begin
  settled.verdict := 'settled';
  settled.delivered := 0;
  settled.codes := '{}';
  settled.error_code := 'CANCELLED';
  for i in 1 .. cardinality(items) loop
    settled.item_id := items[i].id;
    cancelled := cancelled || settled;
  end loop;
  insert into supply.supplier_attempts (item_id, supplier, method, finished_at, outcome, verdict, error_code, reason)
  select i.id, i.supplier, cancel_items.method, now(), 'failed', 'settled', 'CANCELLED', cancel_items.note
  from unnest(items) as i;
  perform core.finish_orders(core.settle_items(cancelled));
end
$$;
comment on function core.cancel_items is
  'Fails items that no supplier has (core.is_unsent) with CANCELLED, and ends and refunds their orders as far as these
are final then. method: partner or operator. The caller holds the locks of accounts, orders and items.';
