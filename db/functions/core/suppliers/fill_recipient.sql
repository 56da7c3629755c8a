create or replace function core.fill_recipient(recipient text, data jsonb)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  -- The empty field at the end takes the text after the last one along.
  select case when not bool_or(m.part[2] <> '' and core.is_blank(data ->> m.part[2]))
    then string_agg(m.part[1] || coalesce(trim(data ->> nullif(m.part[2], '')), ''), '' order by m.n) end
  from regexp_matches(recipient || '{}', '([^{]*)[{]([^}]*)[}]', 'g') with ordinality as m (part, n)
$$;
comment on function core.fill_recipient is
  'Returns the recipient of an offer with the fields of an item''s delivery data in it; null: a field is missing.';
