create or replace function core.changed_columns(before jsonb, after jsonb)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select string_agg(format('%s %s → %s', a.key, coalesce(before ->> a.key, 'none'), coalesce(a.value, 'none')), ', '
    order by a.key)
  from jsonb_each_text(after) as a
  where before ->> a.key is distinct from a.value and a.key <> 'updated_at' and before is not null
$$;
comment on function core.changed_columns is
  'Returns the differences between two versions of a row, as text: "price 150.00 → 160.00, region none → EU". Null if
there is none, and for a new row.';
