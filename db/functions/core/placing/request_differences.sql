create or replace function core.request_differences(before jsonb, request jsonb)
returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    jsonb_agg(jsonb_build_object('path', field, 'message', 'differs from the order made with this key') order by place),
    '[]')
  from (values
    (1, 'items', before -> 'items' is distinct from core.comparable_items(request)),
    (2, 'externalOrderId', before ->> 'externalOrderId' is distinct from request ->> 'externalOrderId'),
    (3, 'callbackUrl', before ->> 'callbackUrl' is distinct from request ->> 'callbackUrl')
  ) as compared (place, field, differs)
  where differs
$$;
comment on function core.request_differences is
  'In which fields a request differs from the one that made an order ({items, externalOrderId, callbackUrl}): [{path, message}].';
