create or replace function core.may_call_suppliers()
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(bool_and(o.timeline = core.current_timeline() and o.lost = '{}'), true) from supply.origin o
$$;
comment on function core.may_call_suppliers is
  'Returns whether workers may call suppliers: the database is on the recorded timeline, and no failover lost anything
that an operator has not dealt with. Raises on a standby.';
