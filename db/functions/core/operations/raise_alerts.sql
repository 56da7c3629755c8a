create or replace function core.raise_alerts(occurrences supply.occurrence[])
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  insert into supply.occurrences (alert_id, kind, subject, account_id, message)
  select core.alert_id(o.kind, o.subject, o.account_id, now()), o.kind, o.subject, o.account_id, o.message
  from unnest(occurrences) as o
$$;
comment on function core.raise_alerts is
  'Records what operators are to be alerted of. It only inserts, so it waits for nobody. work.collect_alerts counts
the occurrences within a second, and alerts the operators.';
