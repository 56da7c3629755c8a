create or replace function core.wrap(given text, width int)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select rtrim(translate(regexp_replace(string_agg(kept.line, E'\n' order by kept.place),
    format('([^\n]{1,%s})(?: +|\n|$)', width), E'\\1\n', 'g'), chr(160), ' '), E'\n')
  from (
    select l.place, case when l.line !~ 'select .*;$' then l.line else (
      select string_agg(case when q.place % 2 = 0 then translate(q.part, ' ', chr(160)) else q.part end, ''''
        order by q.place)
      from string_to_table(l.line, '''') with ordinality as q (part, place)) end as line
    from string_to_table(given, E'\n') with ordinality as l (line, place)
  ) as kept
$$;
comment on function core.wrap is
  'Returns a text in lines of at most width characters, broken at blanks. Its line breaks stay; longer words, and the
quoted values of statements, are not broken.';
