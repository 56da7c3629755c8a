-- Views of ops call it.
create or replace function core.code_identity(code text)
returns text
language sql immutable parallel safe
-- Without a search_path, so that it is inlined, and with the collation of the column: else the indexes of
-- supply.item_keys do not serve.
return case when code collate "C" like 'sealed:%' then split_part(code collate "C", ':', 4)
  when code collate "C" like 'card:{%' then substr(code collate "C", 6)::json ->> 'code' else code collate "C" end;
comment on function core.code_identity is
  'Returns a text that is equal for all stored texts of one code: the fingerprint of a sealed code, or the plain code,
without its parts.';
