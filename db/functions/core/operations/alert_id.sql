create or replace function core.alert_id(kind supply.alert_kind, subject text, account_id bigint, at timestamptz)
returns uuid
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select core.named_uuid(format('alert %s, %s, account %s, hour %s', kind, subject, account_id,
    extract(epoch from date_trunc('hour', at, 'UTC'))::bigint))
$$;
comment on function core.alert_id is
  'Returns the id of the alert that counts an occurrence of that moment. So an alert has its id before it is counted.';
