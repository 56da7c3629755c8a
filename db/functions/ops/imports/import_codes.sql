-- Roles: trade
create or replace view ops.import_codes as
select null::text as supplier, null::text as sku, null::text as code, null::text as pin, null::text as serial,
  null::text as url, null::text as expires_at, null::text as cost, null::text as batch
where false;
comment on view ops.import_codes is
  'Takes codes of our own from a file: \copy ops.import_codes (supplier, sku, code) from ''codes.csv'' with (format csv,
header match). It changes nothing yet: ops.import_lines shows what would, and no code; ops.apply_import adds them. Where
data keys exist, a worker seals the lines within seconds. The file itself is yours to keep safe.';
comment on column ops.import_codes.supplier is 'The supplier of the protocol stock that sells it.';
comment on column ops.import_codes.sku is 'The sku that its offers have.';
comment on column ops.import_codes.code is 'The code.';
comment on column ops.import_codes.pin is 'Its PIN, up to 200 characters; empty: none.';
comment on column ops.import_codes.serial is 'Its serial number, up to 200 characters; empty: none.';
comment on column ops.import_codes.url is 'Where it is redeemed, http or https; empty: nowhere.';
comment on column ops.import_codes.expires_at is
  'A date, sold to its end, or a time of ISO 8601, both of UTC; empty: never.';
comment on column ops.import_codes.cost is 'What it cost, in the currency of the offer; empty: the cost of the offer.';
comment on column ops.import_codes.batch is 'The name of its batch; empty: a number.';
create or replace trigger stage instead of insert on ops.import_codes
  for each row execute function core.stage_line('codes');
create or replace trigger report after insert on ops.import_codes
  for each statement execute function core.report_import('codes');
