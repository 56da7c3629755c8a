create or replace function core.plain_reference(reference text)
returns text
language sql immutable
return lower(core.trim_blanks(plain_reference.reference));
comment on function core.plain_reference is
  'Returns an operator''s reference as it is compared: without blanks at its ends, in lower case.';
