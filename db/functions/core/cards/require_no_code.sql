create or replace function core.require_no_code(name text, note text, codes text[])
returns void
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select core.require(not exists (
      select from unnest(codes) as c
      where length(core.code_identity(c)) >= 6 and strpos(note, core.code_identity(c)) > 0),
    name || ' must not have a code in it: it is kept as it is, and people read it')
$$;
comment on function core.require_no_code is
  'Raises if the note (named so in the error) has one of the codes in it. Codes of less than six characters may be
words.';
