create or replace function core.is_blank(given text)
returns boolean
language sql immutable
return is_blank.given is null or core.trim_blanks(is_blank.given) = '';
comment on function core.is_blank is
  'Returns whether a text is null or has no visible character, only white space and zero-width characters.';
