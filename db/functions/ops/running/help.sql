create or replace function ops.help()
returns table (kind text, name text, arguments text, comment text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select 'function', p.proname::text, pg_get_function_arguments(p.oid), obj_description(p.oid, 'pg_proc')
  from pg_proc p
  where p.pronamespace = 'ops'::regnamespace
  union all
  select 'view', c.relname::text,
    (select string_agg(a.attname, ', ' order by a.attnum) from pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    obj_description(c.oid, 'pg_class')
  from pg_class c
  where c.relnamespace = 'ops'::regnamespace and c.relkind = 'v'
  order by 1, 2
$$;
comment on function ops.help is
  'Everything that operators can call and read: functions with their arguments, views with their columns.';
