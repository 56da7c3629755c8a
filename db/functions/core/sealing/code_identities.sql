create or replace function core.code_identities(codes text[])
returns text[]
language sql immutable parallel safe
return array(select core.code_identity(c.code) from unnest(codes) with ordinality as c (code, place) order by c.place);
comment on function core.code_identities is 'The core.code_identity of each code, in their order.';
