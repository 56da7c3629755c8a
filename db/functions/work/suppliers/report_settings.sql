create or replace function work.report_settings(supplier text, error text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update supply.suppliers s set trouble = 'settings'
  where s.code = (
    select k.code from supply.suppliers k where k.code = report_settings.supplier for no key update skip locked);
  perform core.raise_alerts(array[row('supplier_settings', supplier, null,
    format('supplier %s is not called: %s', supplier, error))::supply.occurrence]);
end
$$;
comment on function work.report_settings is
  'Records that a supplier is not called because of its settings, as its trouble and as an alert.';
