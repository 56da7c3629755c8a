create or replace function ops.help(topic text default null)
returns table (task text, name text, what text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  wanted constant text := lower(regexp_replace(trim(help.topic), '^ops[.]|[(].*$', '', 'g'));
begin
  if wanted is null or wanted = '' then
    -- In psql these widths make lines of 100 characters.
    return query
    select coalesce(e.task, 'more'), core.wrap(o.name || coalesce('(' || o.needed || ')', ''), 39),
      core.wrap(coalesce(e.what, split_part(o.comment, '. ', 1)), 44)
    from core.help_objects o
    left join core.help_entries e on e.name = o.name
    left join core.help_tasks t on t.task = e.task
    order by t.place nulls last, e.place, o.name;
  elsif help.topic not ilike 'ops.%' and exists (select from core.help_tasks t where t.task = wanted) then
    return query
    select t.task, 'how', core.wrap(t.introduction, 55) from core.help_tasks t where t.task = wanted;
    return query
    select e.task, o.name,
      core.wrap(o.signature || o.comment || coalesce(E'\nColumns: ' || (
        select string_agg(split_part(c.line, ':', 1), ', ' order by c.place)
        from string_to_table(o.columns, E'\n') with ordinality as c (line, place)), ''), 55)
    from core.help_entries e
    join core.help_objects o on o.name = e.name
    where e.task = wanted
    order by e.place;
  else
    return query
    select coalesce(e.task, 'more'), o.name,
      core.wrap(o.signature || o.comment || coalesce(E'\n' || o.columns, ''), 55)
    from core.help_objects o
    left join core.help_entries e on e.name = o.name
    where o.name = wanted;
    if not found then
      raise exception 'there is no help for %', quote_literal(help.topic) using errcode = 'no_data_found', hint = format(
        'Its topics are %s, and the name of each function and view.', (select string_agg(t.task, ', ' order by t.place) from core.help_tasks t));
    end if;
  end if;
end
$$;
comment on function ops.help is
  'Everything that operators can call and read, by task, within 100 columns. With a task, such as ops.help(''webhooks''), how it is done, and each '
  'function and view of it with its arguments, columns and description; with the name of one, such as ops.help(''ops.orders''), that one and what each column means.';
