create or replace function core.fill_places(suppliers text[], questions boolean default true)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  -- Beside others that answer, a supplier gets 400 calls a second from each worker, and 25 at once: what recovers must
  -- leave the others their part of the CPU. So questions that settle nothing are 25 a second, by work.fill_places.
  ahead constant interval := '62.5 ms';
  supplier record;
  free int;
  pace record;
  chosen uuid[];
begin
  for supplier in
    select s.code, (s.paused_at is not null)::int as first_rank,
      s.per_minute is null and exists (
        select from supply.supplier_states t
        where t.supplier <> s.code and t.last_good_at > now() - interval '1 minute') as is_paced
    from supply.suppliers s where s.code = any (suppliers) order by s.code
  loop
    free := (select f.places from core.free_places(supplier.code) f);
    if supplier.is_paced and free > 0 then
      -- After a clock was set back, the time is no more than a second away.
      select here.at + ahead as until_at, interval '2.5 ms' / (
          select greatest(1, count(*)) from supply.worker_pools w
          where w.places > 0 and w.seen_at > now() - interval '10 s') as step,
        case when p.free_at < here.at + interval '1 s' then greatest(p.free_at, here.at) else here.at end as from_at
      into pace
      from supply.supplier_places p cross join lateral (select clock_timestamp() as at offset 0) as here
      where p.supplier = supplier.code;
      free := least(free, floor(extract(epoch from pace.until_at - pace.from_at) / extract(epoch from pace.step)))::int;
    end if;
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
    if supplier.is_paced then
      update supply.supplier_places p set free_at = pace.from_at + cardinality(chosen) * pace.step
      where p.supplier = supplier.code;
    end if;
    -- Jobs that are due at the same moment run in any order.
    perform core.enqueue('call_supplier', chosen, array(
      select now() + place * interval '1 microsecond' from generate_subscripts(chosen, 1) as place), 'call_supplier');
  end loop;
end
$$;
comment on function core.fill_places is
  'Gives the free places of suppliers to the items that wait longest there, each with a job: first calls (rank 0) before
questions, new questions before old ones; beside suppliers that answer, 400 a second for each worker. A paused supplier
gets no first calls. questions: false gives places to first calls alone.';
