create or replace function core.history_end(item_ids uuid[], since timestamptz)
returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select greatest(since, (
    select max(a.finished_at) from supply.supplier_attempts a where a.item_id = any (item_ids)
      and a.verdict = 'settled'))
$$;
comment on function core.history_end is
  'Returns when items became final: since, which is when the recording transaction began, or the end of the supplier''s
answer if that is later. Null if since is null and there is no answer.';
