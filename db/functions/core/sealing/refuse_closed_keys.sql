create or replace function core.refuse_closed_keys(texts text[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  closed_id text;
  open_ids text;
begin
  select k.id into closed_id from supply.data_keys k
  where k.closed_at is not null and exists (
    select from unnest(texts) as t
    where starts_with(t, 'sealed:' || k.id || ':') or strpos(t, '{"code" : "sealed:' || k.id || ':') > 0);
  -- guard: nothing is stored under a data key that npm run reseal has closed
  if closed_id is not null then
    open_ids := (select string_agg(k.id, ',' order by k.id) from supply.data_keys k where k.closed_at is null);
    raise exception using errcode = 'KYCLS', detail = open_ids, message = format(
      'the data key %s seals nothing more: begin DATA_KEYS with an open one (%s)', closed_id, open_ids);
  end if;
end
$$;
comment on function core.refuse_closed_keys is
  'Raises KYCLS, with the open keys as detail, if one of the texts is sealed under a closed data key. Call it for all
that a process has sealed, after the first lock on a row: work.list_writers finds the callers that saw the key open.';
