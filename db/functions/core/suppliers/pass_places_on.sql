create or replace function core.pass_places_on(results supply.call_result[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  ended record;
begin
  for ended in
    select r.supplier, bool_or(r.verdict = 'settled') as any_settled
    from unnest(results) as r
    where r.method in ('put', 'get')
    group by r.supplier
    having (
      select true from supply.order_items w
      where w.supplier = r.supplier and w.limited_at is not null and w.limited_rank >= 0 and w.completed_at is null
      limit 1)
    order by r.supplier
  loop
    -- Questions without a final answer would follow each other without a pause, and so would calls that fail at once.
    perform core.fill_places(array[ended.supplier], questions => ended.any_settled)
    from supply.suppliers s where s.code = ended.supplier and s.open_since is null;
  end loop;
end
$$;
comment on function core.pass_places_on is
  'Gives the places of calls that ended to the items that wait for them. After answers that settle nothing, questions
get places only from work.fill_places, every second.';
