create or replace function core.staged_code(given jsonb)
returns jsonb
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  select given - array['code', 'pin', 'serial', 'url'] || jsonb_strip_nulls(jsonb_build_object(
    'id', core.time_ordered_uuid(), 'fault', f.fault,
    'card', case when f.fault is null then core.card_text(
      given ->> 'code', given ->> 'pin', given ->> 'serial', given ->> 'url', given ->> 'expires_at') end))
  from (select coalesce(
    core.fault_of_values(given - array['supplier', 'sku', 'expires_at', 'cost', 'batch'], '{}', '{}'),
    core.fault_of_card(
      given ->> 'code', given ->> 'pin', given ->> 'serial', given ->> 'url', given ->> 'expires_at')) as fault) as f
$$;
comment on function core.staged_code is
  'Returns a line of an import of codes as it is kept: code and parts are one text (card), which a worker can seal for
the id; of a wrong one only the fault is kept.';
