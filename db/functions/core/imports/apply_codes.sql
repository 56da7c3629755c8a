create or replace function core.apply_codes(import_id bigint, only_valid boolean)
returns supply.judged_line[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  lines supply.code_line[];
  judged supply.judged_line[];
begin
  perform core.lock_codes();
  lines := core.judge_cards(core.code_lines(import_id));
  judged := array(select j from core.judge_codes(lines) as j);
  perform core.refuse_wrong_lines(import_id, judged) where only_valid is not true;
  perform core.add_codes(array(select l from unnest(lines) as l where l.fault is null order by l.line));
  perform core.forget_codes(import_id);
  return judged;
end
$$;
comment on function core.apply_codes is
  'Adds the codes of the right lines of an import to the stock, removes the lines, because an import keeps no code, and
returns what all meant. Raises for wrong lines, unless only_valid.';
