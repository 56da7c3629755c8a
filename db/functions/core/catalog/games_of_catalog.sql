create or replace function core.games_of_catalog(entries jsonb)
returns setof supply.games
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select before.id, g.slug, g.name, case when e ? 'image_url' then g.image_url else before.image_url end,
    before.updated_at
  from jsonb_array_elements(entries) as e
  cross join lateral jsonb_to_record(e) as g (slug text, name text, image_url text)
  left join supply.games before on before.slug = g.slug
$$;
comment on function core.games_of_catalog is
  'Returns the games that entries of a catalog list, as they are after its load; a new one without a number.';
