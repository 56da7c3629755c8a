create or replace function core.uuid_of(text text)
returns uuid
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case when text ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then text::uuid end
$$;
comment on function core.uuid_of is 'Returns the UUID that a text is, in upper or lower case; null if it is none.';
