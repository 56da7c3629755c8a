create or replace function core.call_next(results supply.call_result[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  ended record;
  next_ids uuid[];
begin
  for ended in
    select s.code, count(*) as calls
    from unnest(results) as r join supply.suppliers s on s.code = r.supplier
    where r.method in ('put', 'get') and s.max_calls is not null
    group by s.code order by s.code
  loop
    next_ids := array(
      select i.id from supply.order_items i
      where i.supplier = ended.code and i.limited_at is not null and i.completed_at is null
        and i.next_check_at > now()
      order by i.limited_at limit ended.calls for no key update skip locked);
    update supply.order_items i set next_check_at = now() where i.id = any (next_ids);
    perform core.enqueue('call_supplier', next_ids, key => 'call_supplier');
  end loop;
end
$$;
comment on function core.call_next is
  'Makes due the first items that wait at each supplier with max_calls: as many as calls have ended.';
