create or replace function core.alert_outdated(supplier text)
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  select core.raise_alerts(array_agg(row(p.kind, p.subject, null, format('supplier %s, since %s: %s', p.subject,
    core.iso(p.since), p.detail))::supply.occurrence))
  from core.problems p
  where p.kind = 'supplier_sync' and p.subject = alert_outdated.supplier and not exists (
    select from core.alerts a where a.kind = p.kind and a.subject = p.subject and a.closed_at is null)
  having count(*) > 0
$$;
comment on function core.alert_outdated is
  'Alerts operators, once, if the list or the balance of a supplier was not read for too long.';
