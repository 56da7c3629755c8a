create or replace function core.holds_address(given text)
returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select text ~ '://|@'
    or text ~ '(^|[^A-Za-z0-9])localhost([^A-Za-z0-9]|$)'
    -- A missing space after a full stop must not turn a Russian sentence into a host name.
    or text ~ '[A-Za-z0-9_-][.。][A-Za-z]{2}|[А-Яа-яЁё][.。][a-z]{2}'
    or text ~ '[A-Za-z0-9А-Яа-яЁё_-][.。](рф|РФ|рус|онлайн|сайт|москва|дети|орг|ком|бел|укр)([^А-Яа-яЁё]|$)'
    or text ~ '[0-9]{1,3}([.][0-9]{1,3}){3}'
    or text ~ '([0-9A-Fa-f]{0,4}:){3}|::[0-9A-Fa-f]'
  from (select normalize(given, NFKC) as text) as plain
$$;
comment on function core.holds_address is
  'Returns whether a text contains a URL, a host name, an IP address, an e-mail address or an account name (@name).
Null of null.';
