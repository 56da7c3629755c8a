create or replace function core.clean_origins(entries text[])
returns text[]
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  entry text;
  cleaned text[] := '{}';
begin
  if entries is null then
    return null;
  end if;
  perform core.require(cardinality(entries) between 1 and 100,
    'allowed_origins must have 1 to 100 entries; null allows any origin');
  foreach entry in array entries loop
    cleaned := cleaned || core.plain_origin(entry);
    perform core.require(
      cleaned[cardinality(cleaned)] is not null,
      format('%L is no allowed origin: write a host, *.host, or a whole origin such as https://shop.example:8443 '
        'without a path', entry));
  end loop;
  return cleaned;
end
$$;
comment on function core.clean_origins is
  'Returns the entries of an origin allowlist in the stored form; null stays null. Raises for an empty list, and for an
entry that is no host, *.host or whole origin.';
