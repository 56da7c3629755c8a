create or replace function core.story_items(order_id bigint)
returns table (item supply.order_items, label text, ordered int)
language sql stable rows 5 set search_path = pg_catalog, pg_temp
as $$
  select i, case i.part when 1 then 'the rest of ' else '' end || 'item ' || i.position + 1,
    (sum(i.amount) over (partition by i.position))::int
  from supply.order_items i where i.order_id = story_items.order_id
$$;
comment on function core.story_items is
  'Returns the items of an order, their names in its story, and the units ordered before a partial delivery split
them.';
