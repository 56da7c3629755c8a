create or replace function core.collect_results(part int)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
declare
  collection supply.result_collection := (select c from supply.result_collection c);
  up_to bigint;
begin
  if collection.begun_by is null then
    update supply.result_collection set begun_by = pg_current_xact_id();
    return false;
  elsif pg_snapshot_xmin(pg_current_snapshot()) <= collection.begun_by then
    return false;
  end if;
  select max(p.id) into up_to
  from (select o.id from supply.orders o where o.id > collection.position order by o.id limit part) as p;
  if up_to is null then
    update supply.result_collection set collected_at = now();
    return true;
  end if;
  insert into supply.unnumbered_results (order_id, account_id, completed_at)
  select o.id, o.account_id, o.completed_at from supply.orders o
  where o.id > collection.position and o.id <= up_to and o.completed_at is not null
    and not exists (select from supply.order_results r where r.order_id = o.id)
  on conflict do nothing;
  update supply.result_collection set position = up_to;
  return true;
end
$$;
comment on function core.collect_results is
  'Notes so many of the orders that became final before the sequence of results was there, to be numbered in the order of their ends, and returns whether there '
  'may be more to do at once. It begins when all transactions have ended that may be ending an order by the functions of before, which gave no numbers.';
