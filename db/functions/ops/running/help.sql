-- Roles: support, trade, finance
create or replace function ops.help(topic text default null)
returns table (task text, name text, what text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := nullif(lower(regexp_replace(trim(help.topic), '^ops[.]|[(].*$', '', 'g')), '');
  is_task constant boolean := help.topic not ilike 'ops.%'
    and exists (select from core.help_tasks t where t.task = wanted);
begin
  if is_task then
    return query select t.task, 'how', core.wrap(t.introduction, 55) from core.help_tasks t where t.task = wanted;
  end if;
  -- In psql these widths make lines of 100 characters.
  return query
  select coalesce(t.task, 'more'),
    case when wanted is null then core.wrap(o.name || coalesce('(' || o.needed || ')', ''), 39) else o.name end,
    case
      when wanted is null then core.wrap(substring(regexp_replace(o.comment, ' [(][^)]*[)]', '', 'g')
        from '^(?:[^,;:.]|[.](?! |$))+'), 44)
      when is_task then core.wrap(o.signature || o.comment || coalesce(E'\nColumns: ' || (
        select string_agg(split_part(c.line, ':', 1), ', ' order by c.place)
        from string_to_table(o.columns, E'\n') with ordinality as c (line, place)), ''), 55)
      else core.wrap(o.signature || o.comment || coalesce(E'\n' || o.columns, ''), 55)
    end
  from core.help_objects o
  left join core.help_tasks t on o.name = any (t.names)
  where o.is_allowed and (wanted is null or case when is_task then t.task else o.name end = wanted)
  order by t.place nulls last, array_position(t.names, o.name), o.name;
  if not found then
    raise exception 'there is no help for %', quote_literal(help.topic) using errcode = 'no_data_found', hint = concat(
      (select format('These speak of it: %s. ', string_agg(o.name, ', ' order by o.name)) from core.help_objects o
      where o.is_allowed and position(wanted in lower(concat(o.name, o.comment))) > 0 having count(*) > 0),
      format('Its topics are %s, and the name of each function and view.',
        (select string_agg(t.task, ', ' order by t.place) from core.help_tasks t)));
  end if;
end
$$;
comment on function ops.help is
  'Lists the functions and views that the login may use by task, within 100 columns. With a task, such as ''webhooks'':
how to do it, and its functions and views with arguments, columns and description. With a name: that function or view,
and the meaning of each column.';
