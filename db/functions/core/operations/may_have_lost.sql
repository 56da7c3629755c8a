create or replace function core.may_have_lost()
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(bool_and(
    o.timeline <> core.current_timeline() or coalesce(o.moved_at > now() - interval '1 hour', false)), true)
  from supply.origin o
$$;
comment on function core.may_have_lost is
  'Returns whether a failover within an hour may have lost what a process acknowledged. At other times a report of a
loss is not believed: it would hold all calls to suppliers. Raises on a standby.';
