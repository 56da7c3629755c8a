create or replace function core.fill_recipient(recipient text, data jsonb)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  -- Each part but the first begins with a field and its closing brace.
  select case when not bool_or(core.is_blank(data ->> m.field) and m.n > 1)
    then string_agg(case when m.n = 1 then m.part else trim(data ->> m.field) || split_part(m.part, '}', 2) end, ''
      order by m.n) end
  from (
    select p.part, p.n, split_part(p.part, '}', 1) as field
    from string_to_table(recipient, '{') with ordinality as p (part, n)) as m
$$;
comment on function core.fill_recipient is
  'Returns the recipient of an offer with the fields of an item''s delivery data in it; null: a field is missing.';
