create or replace function work.list_stock_texts(after uuid, page_limit int, key_id text)
returns table (kind text, id text, item_id uuid, texts jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  -- A code that was sold is that of its item.
  select case when k.code is null or core.is_under_key(array[k.code], key_id) then 'page' else 'stock' end, k.id::text,
    k.id, to_jsonb(array[k.code])
  from supply.stock_codes k where k.id > after order by k.id limit page_limit
$$;
comment on function work.list_stock_texts is
  'Returns the next codes of our own stock after an id: kind stock those that are not sealed under the data key, kind
page the others. item_id: what they are sealed for.';
