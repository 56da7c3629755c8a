create or replace function core.simulated_parts(item_id uuid, amount int, is_key boolean, result jsonb)
returns jsonb
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  select coalesce((
    select jsonb_agg(case part.status
      when 'completed' then jsonb_build_object('id', item_id, 'amount', part.amount, 'status', part.status) || case
        when is_key then jsonb_build_object('cdKeys', (
          select jsonb_agg(jsonb_build_object('code', 'SIMULATED-' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 12))))
          from generate_series(1, part.amount)))
        else '{}' end
      else jsonb_build_object('id', case delivered.count when 0 then item_id else gen_random_uuid() end, 'amount', part.amount,
        'status', part.status, 'errorCode', core.public_error_code(result ->> 'errorCode'),
        'errorMessage', core.buyer_reason(result ->> 'errorCode', result ->> 'reason'),
        'reason', core.buyer_reason(null, result ->> 'reason'))
      end order by part.status)
    from (values ('completed', delivered.count), ('failed', simulated_parts.amount - delivered.count)) as part (status, amount)
    where part.amount > 0), '[]')
  from (
    select case when result ->> 'status' = 'completed' then simulated_parts.amount when is_key then (result ->> 'codes')::int else 0 end as count
  ) as delivered
$$;
comment on function core.simulated_parts is
  'What becomes of an item of a simulated order when it ends: [{id, amount, status, cdKeys, errorCode, errorMessage, reason}], two entries where only a part '
  'is delivered. Takes the result that the simulator would give: {status, codes (how many), errorCode, reason}.';
