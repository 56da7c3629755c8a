create or replace function ops.set_supplier_limits(code text, max_calls int, max_per_second numeric)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.lock_supplier(code);
  perform core.require(coalesce(set_supplier_limits.max_calls >= 1, true), 'max_calls must be 1 or more; null: no limit');
  perform core.require(
    coalesce(set_supplier_limits.max_per_second >= 0.01 and set_supplier_limits.max_per_second < 1000000, true),
    'max_per_second must be from 0.01 to 1000000; null: no limit');
  update supply.suppliers s set
    max_calls = set_supplier_limits.max_calls, max_per_second = set_supplier_limits.max_per_second, free_at = null, updated_at = now()
  where s.code = set_supplier_limits.code
    and (s.max_calls, s.max_per_second) is distinct from (set_supplier_limits.max_calls, round(set_supplier_limits.max_per_second, 2));
  if found then
    perform core.log_operator('set_supplier_limits', 'supplier ' || code,
      jsonb_build_object('max_calls', max_calls, 'max_per_second', max_per_second));
  end if;
end
$$;
comment on function ops.set_supplier_limits is
  'Limits the calls to a supplier over all workers: how many may be under way at once, and how many HTTP requests a second they may make. Null: no limit.';
