create or replace function core.count_lines(import_id bigint, judged supply.judged_line[])
returns supply.imports
language sql set search_path = pg_catalog, pg_temp
as $$
  update supply.imports i set (lines, new, changed, unchanged, wrong, risky) = (
    select count(*), count(*) filter (where j.change = 'new'), count(*) filter (where j.change = 'changed'),
      count(*) filter (where j.change = 'unchanged'), count(*) filter (where j.change = 'wrong'), count(j.risks)
    from unnest(judged) as j)
  where i.id = count_lines.import_id
  returning i.*
$$;
comment on function core.count_lines is 'Writes how many lines of an import are new, changed, and so on; returns it.';
