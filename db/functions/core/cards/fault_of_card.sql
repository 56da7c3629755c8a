create or replace function core.fault_of_card(code text, pin text, serial text, url text, expires_at text)
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select nullif(concat_ws('; ',
    case when coalesce(core.is_blank(code) or length(code) > 1000 or octet_length(code) > 2000, true)
      then 'a code must have 1 to 1000 characters, not all of them blank' end,
    case when code like 'sealed:%' or code like 'card:{%' then 'no code begins with "sealed:" or "card:{"' end,
    case when pin is not null and (core.is_blank(pin) or length(pin) > 200)
      then 'a pin must have 1 to 200 characters' end,
    case when serial is not null and (core.is_blank(serial) or length(serial) > 200)
      then 'a serial must have 1 to 200 characters' end,
    case when url !~* '^https?://[^/[:space:]][^[:space:]]*$' or length(url) > 2000
      then 'a url must be http or https, up to 2000 characters' end,
    case when core.expiry_of(expires_at) is null and expires_at is not null
      then 'expires_at must be a date such as 2026-12-31, or a time of ISO 8601' end), '')
$$;
comment on function core.fault_of_card is
  'Returns why a code with these parts (null: not given) makes no sense, without any of them; null: it does.';
