-- Roles: support
create or replace function ops.erase_delivery_data(value text, note text)
returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 10000;
  wanted constant text := core.trim_blanks(value);
  ended bigint[];
  locked bigint[];
  still_open bigint;
begin
  perform core.require(not core.is_blank(value), 'value must be a value of deliveryData, such as a player''s id');
  perform core.require(not core.is_blank(note), 'note must say who asked for it');
  perform core.require(strpos(note, wanted) = 0, 'note must not contain the value: it is kept');
  select coalesce(array_agg(distinct o.id) filter (where o.completed_at is not null), '{}'),
    count(distinct o.id) filter (where o.completed_at is null)
  into ended, still_open
  from supply.order_items i join supply.orders o on o.id = i.order_id
  where i.delivery_data <> '{}'
    and exists (select from jsonb_each_text(i.delivery_data) as d where core.trim_blanks(d.value) = wanted);
  locked := core.lock_to_erase(ended[1:at_once]);
  perform core.erase_orders(locked);
  perform core.log_operator('erase_delivery_data', 'delivery data',
    jsonb_build_object('orders', cardinality(locked), 'open', still_open, 'note', trim(note)));
  raise notice '%', concat(
    case when cardinality(ended) = 0 then 'no ended order holds the value: nothing changed'
      else format('the delivery data of %s orders is erased', cardinality(locked)) end,
    case when cardinality(locked) < cardinality(ended)
      then format('; %s more are locked, or over %s at once: call this again', cardinality(ended) - cardinality(locked),
        at_once) end,
    case when still_open > 0
      then format('; %s open orders still hold the value: call this again when they have ended', still_open) end);
  return cardinality(locked);
end
$$;
comment on function ops.erase_delivery_data is
  'Replaces the whole delivery data of ended orders that hold a value, such as a player''s id, by {}: in items, requests
and raw answers. Returns the number of orders, at most 10,000 at once. A repeat of such an order is still a replay. note
says who asked for it. A NOTICE says how many open orders still hold it.';
