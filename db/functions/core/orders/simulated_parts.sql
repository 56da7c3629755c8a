create or replace function core.simulated_parts(items supply.priced_item[], courses jsonb)
returns supply.simulated_part[]
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  select array_agg(row(
    course.seconds, part.status, case part.status when 'failed' then core.buyer_reason(null, course.reason) end,
    case when i.delivery_type = 'key' and part.status = 'completed'
      then core.add_member(rendered.item, 'cdKeys', (
        select json_agg(json_build_object(
          'code', 'SIMULATED-' || upper(left(replace(gen_random_uuid()::text, '-', ''), 12))))
        from generate_series(1, part.amount)))
      else rendered.item end)::supply.simulated_part order by i.place, part.status)
  from unnest(items) as i
  cross join lateral (
    select (c ->> 'seconds')::int as seconds, r ->> 'errorCode' as error_code, r ->> 'reason' as reason,
      case
        when r ->> 'status' = 'completed' then i.quantity
        when i.delivery_type = 'key' then (r ->> 'codes')::int
        else 0
      end as delivered,
      gen_random_uuid() as id
    from (select courses -> (i.place - 1)::int as c) as given
    cross join lateral (select c -> case i.delivery_type when 'key' then 'keys' else 'topUp' end as r) as result
    offset 0
  ) as course
  cross join lateral (
    values ('processing', i.quantity), ('completed', course.delivered), ('failed', i.quantity - course.delivered)
  ) as part (status, amount)
  cross join lateral (select json_build_object(
    'id', case when part.status = 'failed' and course.delivered > 0 then gen_random_uuid() else course.id end,
    'productId', i.product_id, 'productName', i.product_name, 'amount', part.amount, 'price', i.price,
    'status', part.status, 'refundedAmount', case part.status when 'failed' then part.amount * i.price else 0.00 end,
    'errorCode', case part.status when 'failed' then core.public_error_code(course.error_code) end,
    'errorMessage', case part.status when 'failed' then core.buyer_reason(course.error_code, course.reason) end,
    'completedAt', case when part.status <> 'processing'
      then core.iso(now() + course.seconds * interval '1 s') end) as item offset 0) as rendered
  where part.amount > 0
$$;
comment on function core.simulated_parts is
  'Returns what partners read of the items of a simulated order, each while it is open and after its end. courses: as
in api.place_simulated_order, with results {status, codes (how many), errorCode, reason}.';
