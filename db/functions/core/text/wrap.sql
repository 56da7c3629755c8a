create or replace function core.wrap(given text, width int)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
return rtrim(regexp_replace(wrap.given, format('([^\n]{1,%s})(?: +|\n|$)', wrap.width), E'\\1\n', 'g'), E'\n');
comment on function core.wrap is
  'Returns a text in lines of at most width characters, broken at blanks. Its line breaks stay; longer words are not
broken.';
