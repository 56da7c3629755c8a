create or replace function work.list_item_texts(wanted_id uuid, key_id text)
returns table (order_id bigint, kind text, id text, item_id uuid, texts jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select t.* from core.order_texts(
    array(select i.order_id from supply.order_items i where i.id = wanted_id), list_item_texts.key_id) t
$$;
comment on function work.list_item_texts is
  'Returns what core.order_texts does for the order of an item. No row for an unknown item.
nullable: item_id';
