create or replace function core.fill_places(suppliers text[], questions boolean default true)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  supplier record;
  free int;
  chosen uuid[];
begin
  for supplier in
    select s.code, (s.paused_at is not null)::int as first_rank
    from supply.suppliers s where s.code = any (suppliers) order by s.code
  loop
    free := (select f.places from core.free_places(supplier.code) f);
    continue when free is null or free <= 0;
    chosen := array(
      -- In the order of the ranks: the loop ends with the last free place.
      select w.id
      from generate_series(supplier.first_rank, case when questions then 8 else 0 end) as r (rank)
      cross join lateral (
        select i.id from supply.order_items i
        where i.supplier = supplier.code and i.limited_rank = r.rank and i.limited_at <= now()
          and i.completed_at is null
        order by i.limited_at, i.order_id limit free for no key update skip locked
      ) as w
      limit free);
    continue when cardinality(chosen) = 0;
    update supply.order_items i set limited_rank = null, next_check_at = now() where i.id = any (chosen);
    -- Jobs that are due at the same moment run in any order.
    perform core.enqueue('call_supplier', chosen, array(
      select now() + place * interval '1 microsecond' from generate_subscripts(chosen, 1) as place), 'call_supplier');
  end loop;
end
$$;
comment on function core.fill_places is
  'Gives the free places of suppliers to the items that wait longest there, each with a job: first calls before
questions, new questions before old ones. A paused supplier gets no first calls. questions: false gives places to
first calls alone.';
