create or replace function core.is_blank(given text)
returns boolean
language sql immutable
return
  -- Spelt out: what [[:space:]] means depends on the locale of the database.
  is_blank.given is null
    or is_blank.given !~ '[^\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]';
comment on function core.is_blank is 'Whether a text is null or has no visible character: nothing but white space and zero-width characters.';
