create or replace function core.refuse_wrong_lines(import_id bigint, judged supply.judged_line[])
returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  first supply.judged_line;
begin
  select j.* into first from unnest(judged) as j where j.change = 'wrong' order by j.line limit 1;
  perform core.require(false, format('%s of %s lines are wrong, such as line %s%s: %s',
      (select count(*) from unnest(judged) as j where j.change = 'wrong'), cardinality(judged), first.line,
      coalesce(format(' (%s)', first.subject), ''), first.detail),
    hint => format('Nothing changed. All of them: select * from ops.import_lines(%s) where change = ''wrong''; without '
      'them: select ops.apply_import(%s, only_valid => true);', import_id, import_id))
  where first.line is not null;
end
$$;
comment on function core.refuse_wrong_lines is 'Raises, with the first of them, if lines of an import are wrong.';
