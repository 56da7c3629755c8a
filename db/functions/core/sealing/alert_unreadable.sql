create or replace function core.alert_unreadable(subject text)
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  select core.raise_alerts(array[row('unreadable', subject, null, format(
    'what is sealed for %s does not open with DATA_KEYS: it was changed, or its key is another one', subject)
  )::supply.occurrence])
$$;
comment on function core.alert_unreadable is
  'Alerts operators that a process could not open what is sealed for subject, such as item and its id.';
