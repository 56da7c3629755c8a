create or replace function core.item_json(item supply.order_items, with_codes boolean)
returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  keys json;
begin
  if with_codes and item.delivery_type = 'key' and item.status = 'completed' then
    select coalesce(json_agg(json_build_object('code', k.code) order by k.position), '[]') into keys
    from supply.item_keys k where k.item_id = item.id;
    return json_build_object(
      'id', item.id, 'productId', item.product_id, 'productName', item.product_name,
      'amount', item.amount, 'price', item.price, 'status', item.status,
      'refundedAmount', item.refunded_amount, 'errorCode', item.error_code, 'errorMessage', item.error_message,
      'cdKeys', keys, 'completedAt', core.iso(item.completed_at));
  end if;
  return json_build_object(
    'id', item.id, 'productId', item.product_id, 'productName', item.product_name,
    'amount', item.amount, 'price', item.price, 'status', item.status,
    'refundedAmount', item.refunded_amount, 'errorCode', item.error_code, 'errorMessage', item.error_message,
    'completedAt', core.iso(item.completed_at));
end
$$;
comment on function core.item_json is
  'An item as partners read it; with_codes adds the keys of a completed key item. Money in the order''s currency. Specification 2.3.';
