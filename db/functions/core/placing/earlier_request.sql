create or replace function core.earlier_request(account_id bigint, idempotency_key text)
returns jsonb
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'code', o.code, 'items', o.request_items, 'externalOrderId', o.external_order_id, 'callbackUrl', o.callback_url)
  from supply.orders o
  where o.account_id = earlier_request.account_id and o.idempotency_key = earlier_request.idempotency_key
$$;
comment on function core.earlier_request is
  'The request that already made an order with this key ({code, items, externalOrderId, callbackUrl}); null if there is none.';
