create or replace function core.clean_origins(entries text[])
returns text[]
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  label constant text := '[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?';
  name constant text := label || '(\.' || label || ')*';
  literal constant text := '\[[0-9a-f:.]+\]';
  host constant text := format('(%s|%s)', name, literal);
  entry text;
  cleaned text[] := '{}';
begin
  if entries is null then
    return null;
  end if;
  perform core.require(cardinality(entries) between 1 and 100,
    'allowed_origins must have 1 to 100 entries; null allows any origin');
  foreach entry in array entries loop
    cleaned := cleaned || lower(trim(entry));
    perform core.require(
      length(entry) <= 300 and lower(trim(entry)) ~ format('^(%s|\*\.%s|[a-z][a-z0-9+.-]*://%s(:[0-9]{1,5})?)$', host, name, host),
      format('%L is no allowed origin: give a host, *.host, or a whole origin such as https://shop.example:8443 without a path', entry));
  end loop;
  return cleaned;
end
$$;
comment on function core.clean_origins is
  'The entries of an origin allowlist in lower case; null stays null. Raises on an empty list, and on what is no '
  'host, *.host or whole origin.';
revoke all on function core.clean_origins from public;
