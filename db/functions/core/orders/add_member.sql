create or replace function core.add_member(object json, name text, value json)
returns json
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp
return (left(object::text, -1) || ', "' || name || '" : ' || value || '}')::json;
comment on function core.add_member is 'Returns the rendered object with one more member, the last; null of a null.';
