create or replace function work.list_order_texts(after bigint, page_limit int, key_id text)
returns table (order_id bigint, kind text, id text, item_id uuid, texts jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  ids constant bigint[] := array(select o.id from supply.orders o where o.id > after order by o.id limit page_limit);
begin
  return query select t.* from core.order_texts(ids, list_order_texts.key_id) t;
  return query select max(i.id), 'page', null::text, null::uuid, null::jsonb from unnest(ids) as i (id)
    having count(*) > 0;
end
$$;
comment on function work.list_order_texts is
  'Returns what core.order_texts does for the next orders after an order id, and a row of kind page with the id of the
last order that was read. No row: there are no more orders.
nullable: id, item_id, texts';
