create or replace function core.answer_repeat(before jsonb, request jsonb)
returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  field text;
  details jsonb := '[]';
begin
  foreach field in array array['items', 'externalOrderId', 'callbackUrl'] loop
    if nullif(before -> field, 'null') is distinct from nullif(request -> field, 'null') then
      details := details || jsonb_build_object('path', field, 'message', 'differs from the order made with this key');
    end if;
  end loop;
  return jsonb_build_object('orderId', before -> 'orderId', 'orderCode', before -> 'orderCode', 'details', details,
    'result', case when details = '[]' then 'replayed' else 'IDEMPOTENCY_KEY_REUSED' end);
end
$$;
comment on function core.answer_repeat is
  'What becomes of a request whose key already made an order ({orderId, orderCode, items, externalOrderId, callbackUrl}; the items of both without '
  'caps): replayed, or IDEMPOTENCY_KEY_REUSED with the fields that differ; both with the order. Specification 3.';
