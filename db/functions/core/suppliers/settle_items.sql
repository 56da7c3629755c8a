create or replace function core.settle_items(results supply.call_result[])
returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  order_ids bigint[];
  -- Not the beginning of the transaction, which may lie in a month that was closed since.
  ended_at constant timestamptz := clock_timestamp();
begin
  if exists (select from unnest(results) as r where r.codes <> '{}' and r.verdict in ('settled', 'held')) then
    insert into supply.item_keys (item_id, position, code)
    select c.item_id, kept.count + row_number() over (partition by c.item_id order by c.place) - 1, c.code
    from (
      select r.item_id, (array_agg(u.code order by u.place))[1] as code, min(u.place) as place
      from unnest(results) as r cross join lateral unnest(r.codes) with ordinality as u (code, place)
      where r.verdict in ('settled', 'held')
        and (select i.delivery_type from supply.order_items i where i.id = r.item_id) = 'key'
        -- An `exists` may be planned as one list of all codes.
        and (
          select true from supply.item_keys k
          where k.item_id = r.item_id and core.code_identity(k.code) = core.code_identity(u.code) limit 1) is null
      group by r.item_id, core.code_identity(u.code)
    ) as c
    cross join lateral (select count(*) from supply.item_keys k where k.item_id = c.item_id) as kept;
    -- The undelivered units become a separate item, so that the sum of price times amount stays.
    insert into supply.order_items
      (order_id, position, part, product_id, product_name, delivery_type, delivery_data, amount, price, status,
       error_code, error_message, buyer_reason, completed_at, supplier, sku, cost,
       supplier_cost, supplier_currency, rate, offered_cost, offered_currency, tried_suppliers, sent_at, next_call)
    select i.order_id, i.position, 1, i.product_id, i.product_name, i.delivery_type, i.delivery_data,
      -- guard: only the rest of a partial item is refunded
      i.amount - r.delivered, i.price, 'failed', core.public_error_code(r.error_code),
      core.buyer_reason(r.error_code, r.reason), core.buyer_reason(null, r.reason), ended_at,
      i.supplier, i.sku, i.cost, i.supplier_cost, i.supplier_currency, i.rate, i.offered_cost, i.offered_currency,
      i.tried_suppliers, i.sent_at, 'get'
    from unnest(results) as r join supply.order_items i on i.id = r.item_id
    where r.verdict = 'settled' and r.delivered > 0 and r.delivered < i.amount;
  end if;
  with settled as (
    update supply.order_items i set
      amount = case when r.delivered > 0 then r.delivered else i.amount end,
      status = case when r.delivered > 0 then 'completed' else 'failed' end,
      error_code = case when r.delivered = 0 then core.public_error_code(r.error_code) end,
      error_message = case when r.delivered = 0 then core.buyer_reason(r.error_code, r.reason) end,
      buyer_reason = case when r.delivered = 0 then core.buyer_reason(null, r.reason) end,
      supplier_order_id = coalesce(r.supplier_order_id, i.supplier_order_id),
      completed_at = ended_at, next_check_at = null, lease_expires_at = null, limited_at = null, limited_rank = null
    from unnest(results) as r
    where i.id = r.item_id and r.verdict = 'settled'
    returning i.order_id
  )
  select coalesce(array_agg(distinct s.order_id), '{}') into order_ids from settled s;
  return order_ids;
end
$$;
comment on function core.settle_items is
  'Makes final the items whose result is settled, and returns their orders. A part that is delivered splits the item
into a completed and a failed one. Keeps the codes of key items, of held results for operators. The caller holds the
locks of the items and their orders.';
