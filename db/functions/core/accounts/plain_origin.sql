create or replace function core.plain_origin(entry text)
returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  label constant text := '[a-z0-9_-]+';
  scheme text;
  wildcard text;
  host text;
  port int;
begin
  select m[1], m[2], m[3], m[4] into scheme, wildcard, host, port from regexp_match(
    lower(trim(entry)),
    format('^([a-z][a-z0-9+.-]*://)?(\*\.)?(%1$s(?:\.%1$s)*|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?$', label)) as m;
  if host like '[%' then
    host := case when pg_input_is_valid(btrim(host, '[]'), 'inet') then host(btrim(host, '[]')::inet) end;
    -- Not one that contains an IPv4 address in its shortest form.
    host := case when host like '%:%' and host not like '%.%' then '[' || host || ']' end;
  end if;
  if length(entry) > 300 or port > 65535
    or scheme is null and port is not null
    or wildcard is not null and (scheme is not null or host like '[%') then
    return null;
  end if;
  return concat(scheme, wildcard) || host || case
    when port is null or (scheme, port) in (('https://', 443), ('http://', 80)) then ''
    else ':' || port
  end;
end
$$;
comment on function core.plain_origin is
  'Returns an entry of an origin allowlist in the stored form: lower case, no blanks around it, no default port, the
shortest IPv6 form. Null unless it is a host, *.host or whole origin of at most 300 characters.';
