create or replace function core.differing_fields(
  request supply.order_request, items jsonb, external_order_id text, callback_url text, earlier_items jsonb
)
returns text[]
language sql immutable
return array_remove(array[
  case when items <> earlier_items then 'items' end,
  case when (request).external_order_id <> differing_fields.external_order_id then 'externalOrderId' end,
  case when (request).callback_url is distinct from differing_fields.callback_url then 'callbackUrl' end
], null);
comment on function core.differing_fields is
  'Returns the fields in which a request differs from the earlier order with its key.';
