create or replace function core.take_turns(
  item_ids uuid[], out taken uuid[], out waits double precision[], out late uuid[], out late_until timestamptz[]
)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  -- As long as a worker may look for jobs of which it was not told: so far ahead a call is leased, and the worker waits.
  ahead constant interval := '2 s';
  limited record;
  step interval;
  places int;
  next_at timestamptz;
  here timestamptz;
  item record;
begin
  taken := array(
    select i.id from supply.order_items i join supply.suppliers s on s.code = i.supplier
    where i.id = any (item_ids) and s.max_calls is null and s.max_per_second is null);
  waits := array_fill(0::double precision, array[cardinality(taken)]);
  late := '{}';
  late_until := '{}';

  for limited in
    select s.code, s.max_calls, s.max_per_second, s.free_at,
      coalesce((select p.requests_per_call from supply.protocols p where p.name = s.protocol), 1) as requests
    from supply.suppliers s
    where s.code = any (array(select i.supplier from supply.order_items i where i.id = any (item_ids)))
      and (s.max_calls is not null or s.max_per_second is not null)
    order by s.code for no key update
  loop
    here := clock_timestamp();
    step := limited.requests / limited.max_per_second * interval '1 s';
    next_at := greatest(limited.free_at, here);
    places := least(
      limited.max_calls - core.calls_under_way(limited.code),
      case when step is not null then greatest(0, floor(extract(epoch from here + ahead - next_at) / extract(epoch from step))::int + 1) end);

    for item in
      select r.id, r.place
      from (
        select l.id, l.is_here, row_number() over (order by l.limited_at nulls last, l.order_id, l.position) as place
        from (
          select i.id, i.limited_at, i.order_id, i.position, true as is_here
          from supply.order_items i where i.id = any (item_ids) and i.supplier = limited.code
          union all
          (
            select i.id, i.limited_at, i.order_id, i.position, false
            from supply.order_items i
            where i.supplier = limited.code and i.limited_at is not null and i.completed_at is null and i.id <> all (item_ids)
              -- What nobody looks at in its turn holds up no other.
              and i.next_check_at > now() - interval '5 s'
            order by i.limited_at limit 1000
          )
        ) as l
      ) as r
      where r.is_here order by r.place
    loop
      if item.place <= places then
        taken := taken || item.id;
        waits := waits || coalesce(extract(epoch from next_at - here)::double precision * 1000 * (step is not null)::int, 0);
        next_at := next_at + coalesce(step, interval '0');
        continue;
      end if;
      late := late || item.id;
      late_until := late_until || greatest(
        here + interval '250 ms',
        next_at + (item.place - places - 1) * step - ahead,
        -- The end of a call makes the next one due (core.call_next); this is for the case that its worker is lost.
        case when limited.max_calls is not null
          then here + least(300, 1 + item.place::double precision / limited.max_calls) * interval '1 s' end);
    end loop;
    if step is not null then
      update supply.suppliers s set free_at = next_at where s.code = limited.code;
    end if;
  end loop;

  update supply.order_items i set
    limited_at = coalesce(i.limited_at, clock_timestamp()), next_check_at = l.until
  from unnest(late, late_until) as l (id, until)
  where i.id = l.id;
end
$$;
comment on function core.take_turns is
  'Which of the items that are due may be called now by the limits of their suppliers, taken, with how many milliseconds the worker waits before each call, '
  'waits, and which have to come again, late, and when. Who waits is in line, and who comes later is behind. The caller holds the locks of the items; the rows of '
  'the limited suppliers are locked here, so that all workers together keep the limits.';
