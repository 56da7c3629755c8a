create or replace function work.report_unreadable(subject text)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select core.alert_unreadable(subject)
$$;
comment on function work.report_unreadable is 'As core.alert_unreadable.';
