create or replace function core.story_end(item_ids uuid[], since timestamptz)
returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select greatest(since, (
    select max(a.finished_at) from supply.supplier_attempts a where a.item_id = any (item_ids)
      and a.verdict = 'settled'))
$$;
comment on function core.story_end is
  'Returns when items ended. Rows have the time at which their transaction began, before the answer that it recorded.
since: the time in the row; null of null without an answer.';
