-- Roles: support, trade, finance
create or replace function ops.import_lines(import_id bigint default null, described int default null)
returns table (line int, subject text, change text, detail text, risk text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select j.line, j.subject, j.change::text, j.detail, array_to_string(j.risks, ', ')
  from core.judge_import((core.find_import(import_id)).id, described) as j
$$;
comment on function ops.import_lines is
  'Returns what each line of an import (null: your latest) would change now. change: new, changed, unchanged,
wrong; line: of the data, from 1; risk: the words that ops.apply_import has to allow. described: the number of products
with their detail (null: all), which takes most of the time.';
