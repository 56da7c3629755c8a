create or replace function work.finish_alert(alert_id uuid)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  update supply.alerts a set sent_at = now() where a.id = alert_id and a.sent_at is null
$$;
comment on function work.finish_alert is
  'Records that an alert was sent, as work.finish_notification does, for workers that still run while the database is migrated.';
