create or replace function core.buyer_reason(error_code text, reason text)
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (select plain from core.plain_reason(reason) as plain where plain ~ '[А-Яа-яЁё]'),
    (select r.reason from supply.reasons r where r.error_code = buyer_reason.error_code))
$$;
comment on function core.buyer_reason is
  'Returns the text about a failure that a buyer may read: the supplier''s own if it is in Russian
(core.plain_reason), else the one of the errorCode, else null. Without the errorCode it is the reason of the order.
Specification 2.3.';
