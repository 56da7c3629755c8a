create or replace function core.buyer_reason(error_code text, reason text)
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (select plain from core.plain_reason(reason) as plain where plain ~ '[А-Яа-яЁё]'),
    (select r.reason from supply.reasons r where r.error_code = buyer_reason.error_code))
$$;
comment on function core.buyer_reason is
  'The text a buyer may read about a failure: what core.plain_reason leaves of the supplier''s own if that is in Russian, else the one '
  'of its errorCode, else null. A text that is not Russian is technical and never shown. Without the errorCode it is the reason of order and event. Specification 2.3.';
