create or replace function core.stage_line()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  loop
    insert into supply.import_lines (import_id, given)
    select o.id, case tg_argv[0] when 'codes' then core.staged_code(g.given) else g.given end
    from (select i.id from core.open_imports i where i.kind = tg_argv[0]) as o
    cross join lateral (
      select coalesce(jsonb_object_agg(c.key, core.trim_blanks(c.value)), '{}') as given
      from jsonb_each_text(jsonb_strip_nulls(to_jsonb(new))) as c where not core.is_blank(c.value)) as g;
    exit when found;
    insert into supply.imports (kind) values (tg_argv[0]);
  end loop;
  return new;
end
$$;
comment on function core.stage_line is
  'Trigger function of the views that take lists: keeps a line of the kind that the trigger names, and changes nothing
else.';
