create or replace function core.add_codes(item json, codes json)
returns json
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp
return (left(item::text, -1) || ', "cdKeys" : ' || codes || '}')::json;
comment on function core.add_codes is 'The rendered item with cdKeys as its last member. Null of null.';
