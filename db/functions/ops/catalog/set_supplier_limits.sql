-- Roles: trade
create or replace function ops.set_supplier_limits(code text, max_calls int, per_minute numeric)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known supply.suppliers := core.lock_supplier(code);
begin
  perform core.require(known.protocol <> 'stock',
    format('supplier %s is our own stock: there are no calls to limit', known.code),
    'object_not_in_prerequisite_state', 'ops.stock shows what it has.');
  perform core.require(coalesce(max_calls >= 1, true), 'max_calls must be 1 or more; null: no limit');
  perform core.require(coalesce(per_minute >= 0.01 and per_minute < 1000000, true),
    'per_minute must be from 0.01 to 1000000; null: no limit');
  per_minute := round(per_minute, 2);
  if (known.max_calls, known.per_minute) is not distinct from (max_calls, per_minute) then
    raise notice 'supplier % has these limits already: nothing changed', known.code;
    return;
  end if;
  update supply.suppliers s set
    max_calls = set_supplier_limits.max_calls, per_minute = set_supplier_limits.per_minute,
    updated_at = now()
  where s.code = known.code;
  perform core.log_operator('set_supplier_limits', 'supplier ' || known.code,
    jsonb_build_object('max_calls', max_calls, 'per_minute', per_minute, 'before',
      jsonb_build_object('max_calls', known.max_calls, 'per_minute', known.per_minute)));
  raise notice 'supplier %: calls at once % → %, requests a minute % → %', known.code,
    coalesce(known.max_calls::text, 'no limit'), coalesce(max_calls::text, 'no limit'),
    coalesce(known.per_minute::text, 'no limit'), coalesce(per_minute::text, 'no limit');
end
$$;
comment on function ops.set_supplier_limits is
  'Limits the calls to a supplier over all workers: calls at once, and HTTP requests a minute. Null: no limit. Items
that wait get their places by the new limits within a second.';
