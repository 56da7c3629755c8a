create or replace function core.differing_fields(
  request supply.order_request, request_items jsonb, external_order_id text, callback_url text, earlier_items jsonb
)
returns text[]
language sql immutable
return array_remove(array[
  case when differing_fields.request_items <> differing_fields.earlier_items then 'items' end,
  case when (differing_fields.request).external_order_id <> differing_fields.external_order_id then 'externalOrderId' end,
  case when (differing_fields.request).callback_url is distinct from differing_fields.callback_url then 'callbackUrl' end
], null);
comment on function core.differing_fields is
  'Returns the fields in which a request differs from the earlier order with its key.';
