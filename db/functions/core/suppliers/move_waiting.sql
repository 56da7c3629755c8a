create or replace function core.move_waiting()
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  passed_over record;
  item supply.order_items;
  offer core.active_offers;
  moved uuid[] := '{}';
begin
  for passed_over in
    select s.code, w.product_id, other.min_price
    from supply.suppliers s
    cross join lateral (
      with recursive waiting (product_id) as (
        (select i.product_id from supply.order_items i
          where i.supplier = s.code and i.limited_rank = 0 and i.completed_at is null order by i.product_id limit 1)
        union all
        select (
          select i.product_id from supply.order_items i
          where i.supplier = s.code and i.limited_rank = 0 and i.completed_at is null and i.product_id > n.product_id
          order by i.product_id limit 1)
        from waiting n where n.product_id is not null
      )
      select n.product_id from waiting n where n.product_id is not null
    ) as w
    cross join lateral (
      select min(o.min_price) as min_price from core.active_offers o
      where o.product_id = w.product_id and o.supplier <> s.code and not o.is_passed_over) as other
    where (s.paused_at is not null or s.open_since is not null) and other.min_price is not null
    order by s.code, w.product_id
  loop
    for item in
      select i.* from supply.order_items i
      where i.supplier = passed_over.code and i.limited_rank = 0 and i.completed_at is null
        and i.product_id = passed_over.product_id and i.price >= passed_over.min_price
        -- Before a restore, our own stock may have sold to it.
        and i.recovered_at is null and i.sent_at is null
      limit 500 for no key update skip locked
    loop
      offer := core.next_offer(item, must_serve => true);
      if offer.supplier is not null then
        perform core.move_item(item, offer);
        moved := moved || item.id;
      end if;
    end loop;
  end loop;
  perform core.enqueue('call_supplier', moved, key => 'call_supplier');
end
$$;
comment on function core.move_waiting is
  'Moves items that wait for their first call from suppliers that are paused, or have an open circuit, to others that
can serve, up to 500 of a product at a time.';
