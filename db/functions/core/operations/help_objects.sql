create or replace view core.help_objects as
select p.proname::text as name,
  (
    select coalesce(string_agg(case when a.place <= p.pronargs - p.pronargdefaults then a.name
      when a.place = p.pronargs - p.pronargdefaults + 1 then '…' end, ', ' order by a.place), '')
    from unnest(p.proargnames[:p.pronargs]) with ordinality as a (name, place)
  ) as needed,
  format(E'%s(%s) → %s\n', p.proname,
    regexp_replace(replace(replace(replace(pg_get_function_arguments(p.oid),
      'timestamp with time zone', 'timestamptz'), 'anycompatible', 'reference'), ' DEFAULT ', ' = '),
        '::[a-z]+(\[\])?', '', 'g'),
    replace(pg_get_function_result(p.oid), 'timestamp with time zone', 'timestamptz')) as signature,
  replace(obj_description(p.oid, 'pg_proc'), E'\n', ' ') as comment, null::text as columns,
  has_function_privilege(core.acting_role(), p.oid, 'execute') as is_allowed
from pg_proc p
where p.pronamespace = 'ops'::regnamespace
  -- Of a function with several forms, the one with the fewest arguments, and with a reference instead of an id.
  and not exists (
    select from pg_proc o
    where o.pronamespace = p.pronamespace and o.proname = p.proname
      and (o.pronargs, o.proargtypes[0] <> 'text'::regtype, o.proargtypes[1] <> 'text'::regtype)
        < (p.pronargs, p.proargtypes[0] <> 'text'::regtype, p.proargtypes[1] <> 'text'::regtype))
union all
select c.relname::text, null, '', replace(obj_description(c.oid, 'pg_class'), E'\n', ' '),
  (
    select string_agg(format('%s: %s', a.attname, replace(col_description(c.oid, a.attnum), E'\n', ' ')), E'\n'
      order by a.attnum)
    from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  ), has_table_privilege(core.acting_role(), c.oid, 'select')
    and (not c.relhastriggers or has_table_privilege(core.acting_role(), c.oid, 'insert'))
from pg_class c
where c.relnamespace = 'ops'::regnamespace and c.relkind = 'v';
comment on view core.help_objects is 'The functions and views of schema ops, from the system catalog.';
comment on column core.help_objects.is_allowed is 'Whether the login, or the role that it set, may use it.';
