create or replace function core.settle_items(results supply.call_result[])
returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  order_ids bigint[];
begin
  if exists (select from unnest(results) as r where r.verdict = 'settled' and r.codes <> '{}') then
    insert into supply.item_keys (item_id, position, code)
    select r.item_id, c.place - 1, c.code
    from unnest(results) as r
    cross join lateral unnest(r.codes) with ordinality as c (code, place)
    where r.verdict = 'settled' and (select i.delivery_type from supply.order_items i where i.id = r.item_id) = 'key';
  end if;
  with settled as (
    update supply.order_items i set
      status = r.outcome,
      error_code = case when r.outcome = 'failed' then core.public_error_code(r.error_code) end,
      error_message = case when r.outcome = 'failed' then core.buyer_reason(r.error_code, r.reason) end,
      buyer_reason = case when r.outcome = 'failed' then core.buyer_reason(null, r.reason) end,
      supplier_order_id = coalesce(r.supplier_order_id, i.supplier_order_id),
      completed_at = now(), next_check_at = null, lease_expires_at = null
    from unnest(results) as r
    where i.id = r.item_id and r.verdict = 'settled'
    returning i.order_id
  )
  select coalesce(array_agg(distinct s.order_id), '{}') into order_ids from settled s;
  return order_ids;
end
$$;
comment on function core.settle_items is
  'Makes final the items whose result (core.classify_results) is settled, with the codes of key items, and returns their orders.';
