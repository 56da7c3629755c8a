-- Roles: trade
create or replace function ops.set_stock_threshold(supplier text, sku text, free int)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  of_sku constant text := core.lock_stock(supplier, sku);
  before int;
begin
  perform core.require(coalesce(free >= 1, true), 'free must be 1 or more; null: no threshold');
  select t.free into before from supply.stock_thresholds t
  where t.supplier = set_stock_threshold.supplier and t.sku = of_sku;
  if before is not distinct from free then
    raise notice 'sku % of supplier % has this threshold already: nothing changed', of_sku, supplier;
    return;
  end if;
  delete from supply.stock_thresholds t where t.supplier = set_stock_threshold.supplier and t.sku = of_sku;
  insert into supply.stock_thresholds (supplier, sku, free)
  select set_stock_threshold.supplier, of_sku, set_stock_threshold.free where set_stock_threshold.free is not null;
  perform core.log_operator('set_stock_threshold', format('stock %s/%s', supplier, of_sku),
    jsonb_build_object('free', free, 'before', before));
  raise notice 'sku % of supplier %: below % free codes operators are alerted (before: %); it has %', of_sku, supplier,
    coalesce(free::text, 'no number of'), coalesce(before::text, 'no threshold'),
    core.free_codes(supplier, of_sku, null);
end
$$;
comment on function ops.set_stock_threshold is
  'Sets below how many free codes of a sku ops.attention has a line and operators are alerted; both end by themselves
when there are enough again. Null: never.';
