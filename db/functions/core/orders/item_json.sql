create or replace function core.item_json(item supply.order_items, with_codes boolean)
returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  plain json := json_build_object(
    'id', item.id, 'productId', item.product_id, 'productName', item.product_name,
    'amount', item.amount, 'price', item.price, 'status', item.status,
    'refundedAmount', item.refunded_amount, 'errorCode', item.error_code, 'errorMessage', item.error_message,
    'completedAt', core.iso(item.completed_at));
begin
  if with_codes and item.delivery_type = 'key' and item.status = 'completed' then
    return core.add_codes(plain, coalesce(core.item_codes(item.id), '[]'));
  end if;
  return plain;
end
$$;
comment on function core.item_json is
  'An item as partners read it; with_codes adds the codes of a completed key item. Money in the order''s currency. Specification 2.3.';
