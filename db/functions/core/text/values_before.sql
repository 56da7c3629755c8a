create or replace function core.values_before(before jsonb, after jsonb)
returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case when count(*) > 0 then jsonb_build_object('before', jsonb_object_agg(b.key, b.value)) else '{}' end
  from jsonb_each(before) as b
  where b.value <> after -> b.key
$$;
comment on function core.values_before is
  'Returns {before: the values that another version of a row had and that differ}; {} of a new row.';
