create or replace function core.settle_items(answers jsonb[])
returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  order_ids bigint[];
begin
  insert into supply.item_keys (item_id, position, code)
  select (a ->> 'itemId')::uuid, c.place - 1, c.code
  from unnest(answers) as a
  cross join lateral jsonb_array_elements_text(a #> '{result,codes}') with ordinality as c (code, place)
  where a ->> 'verdict' = 'settled' and a ->> 'outcome' = 'completed'
    and (select i.delivery_type from supply.order_items i where i.id = (a ->> 'itemId')::uuid) = 'key';

  with settled as (
    update supply.order_items i set
      status = s.a ->> 'outcome',
      error_code = case when s.a ->> 'outcome' = 'failed' then core.public_error_code(s.a #>> '{result,errorCode}') end,
      error_message = case when s.a ->> 'outcome' = 'failed' then
        core.buyer_reason(s.a #>> '{result,errorCode}', s.a #>> '{result,reason}') end,
      buyer_reason = case when s.a ->> 'outcome' = 'failed' then core.buyer_reason(null, s.a #>> '{result,reason}') end,
      supplier_order_id = coalesce(s.a #>> '{result,supplierOrderId}', i.supplier_order_id),
      completed_at = now(), next_check_at = null, lease_expires_at = null
    from unnest(answers) as s (a)
    where i.id = (s.a ->> 'itemId')::uuid and s.a ->> 'verdict' = 'settled'
    returning i.order_id
  )
  select coalesce(array_agg(distinct s.order_id), '{}') into order_ids from settled s;
  return order_ids;
end
$$;
comment on function core.settle_items is
  'Makes final the items whose result (core.classify_results) is settled, with the codes of key items, and returns their orders.';
