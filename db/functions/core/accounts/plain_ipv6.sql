create or replace function core.plain_ipv6(address text)
returns text
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$
  select a.text
  from (
    select case when pg_input_is_valid(address, 'inet') then host(address::inet) end as text
  ) a
  where a.text like '%:%' and a.text not like '%.%'
$$;
comment on function core.plain_ipv6 is
  'Returns an IPv6 address in its shortest form. Null for other texts, and for an address that contains an IPv4 address
in that form.';
