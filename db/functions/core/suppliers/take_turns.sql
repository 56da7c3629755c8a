create or replace function core.take_turns(item_ids uuid[])
returns table (item_id uuid, wait_ms double precision, due_at timestamptz)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  -- A call is leased this far ahead, because a worker may take as long to find a job of which it was not notified.
  ahead constant interval := '2 s';
  limited record;
  here timestamptz;
  next_at timestamptz;
  places int;
  item record;
begin
  for limited in
    select s.code, s.max_calls, s.free_at, coalesce(p.requests_per_call, 1) / s.per_minute * interval '1 min' as step
    from supply.suppliers s left join supply.protocols p on p.name = s.protocol
    where s.code = any (array(select i.supplier from supply.order_items i where i.id = any (item_ids)))
      and (s.max_calls is not null or s.per_minute is not null)
    order by s.code for no key update of s
  loop
    here := clock_timestamp();
    next_at := case when limited.step is null then here else greatest(limited.free_at, here) end;
    places := least(
      limited.max_calls - core.calls_under_way(limited.code),
      case when limited.step is not null
        then greatest(0, 1 + floor(
          extract(epoch from here + ahead - next_at) / extract(epoch from limited.step)))::int end);
    for item in
      select l.id, l.place
      from (
        select i.id, i.is_given, row_number() over (order by i.limited_at nulls last, i.order_id, i.position) as place
        from (
          select g.id, g.limited_at, g.order_id, g.position, true as is_given from supply.order_items g
          where g.id = any (item_ids) and g.supplier = limited.code
          union all (
            select w.id, w.limited_at, w.order_id, w.position, false from supply.order_items w
            where w.supplier = limited.code and w.limited_at is not null and w.completed_at is null
              -- An item that is overdue by more delays no other.
              and w.id <> all (item_ids) and w.next_check_at > now() - interval '5 s'
            order by w.limited_at limit 1000)
        ) as i
      ) as l
      where l.is_given order by l.place
    loop
      item_id := item.id;
      wait_ms := 0;
      due_at := null;
      if item.place <= places then
        wait_ms := extract(epoch from next_at - here) * 1000;
        next_at := next_at + coalesce(limited.step, interval '0');
      else
        due_at := greatest(
          here + interval '250 ms',
          next_at + (item.place - places - 1) * limited.step - ahead,
          -- The end of a call makes the next one due (core.call_next); this is for the case that its worker is lost.
          case when limited.max_calls is not null
            then here + least(300, 1 + item.place::double precision / limited.max_calls) * interval '1 s' end);
        update supply.order_items i set limited_at = coalesce(i.limited_at, clock_timestamp()), next_check_at = due_at
        where i.id = item.id;
      end if;
      return next;
    end loop;
    update supply.suppliers s set free_at = next_at where s.code = limited.code and limited.step is not null;
  end loop;
end
$$;
comment on function core.take_turns is
  'Applies the limits of suppliers to due items, FIFO over all workers. Returns the items of limited suppliers: for
how many ms the worker waits before the call, or when the item is due again. The caller holds the locks of the items.
Locks the limited suppliers.';
