create or replace function core.take_turns(item_ids uuid[])
returns setof supply.planned_call
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  supplier record;
  free record;
  begun int;
begin
  for supplier in
    select s.code, s.paused_at is not null as is_paused,
      s.max_calls is not null or s.per_minute is not null or s.open_since is not null as is_limited
    from supply.suppliers s
    where s.code = any (array(select i.supplier from supply.order_items i where i.id = any (item_ids)))
    order by s.code
  loop
    select f.* into free from core.free_places(supplier.code) as f where supplier.is_limited;
    -- Another transaction gives the places at this moment.
    continue when supplier.is_limited and free.places is null;
    return query
    select t.id, coalesce(
      extract(epoch from free.wait + (t.place - 1) * free.step) * 1000, 0)::double precision
    from (
      select i.id, i.has_place, row_number() over (order by i.has_place desc, i.rank, i.limited_at, i.order_id,
        i.position) as place, count(*) filter (where i.has_place) over () as given
      from (
        select i.*, i.limited_at is not null and i.limited_rank is null as has_place, core.limited_rank(i) as rank
        from supply.order_items i
        where i.id = any (item_ids) and i.supplier = supplier.code
      ) as i
      where not (supplier.is_paused and i.rank = 0)
    ) as t
    where (not supplier.is_limited or t.place <= free.places + t.given)
      -- Others that wait come first.
      and (t.has_place or not core.items_wait(supplier.code, item_ids));
    get diagnostics begun = row_count;
    if free.step is not null and begun > 0 then
      update supply.supplier_places p set free_at = free.next_at + begun * free.step where p.supplier = supplier.code;
    end if;
  end loop;
end
$$;
comment on function core.take_turns is
  'Returns those of the due items whose call may begin by the places and the limits of their suppliers, and for how
many ms the worker waits before the call. The others have to wait for a place. The caller holds the items'' locks.';
