create or replace function api.record_public_url(url text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if url is null then
    delete from supply.public_address;
    return;
  end if;
  insert into supply.public_address as p (url) values (rtrim(record_public_url.url, '/'))
  on conflict on constraint public_address_pkey do update set url = excluded.url where p.url <> excluded.url;
end
$$;
comment on function api.record_public_url is
  'Records the address at which partners reach the API, for texts that operators send. Null: it is not known.';
