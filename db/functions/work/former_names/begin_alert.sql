create or replace function work.begin_alert(alert_id uuid)
returns table (cause text, message text, count int, first_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select a.cause, a.message, a.count, a.first_at from supply.alerts a where a.id = alert_id and a.sent_at is null
$$;
comment on function work.begin_alert is
  'Returns an alert that was not sent yet, as work.begin_notification does, for workers that still run while the database is migrated.';
