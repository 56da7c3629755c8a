create or replace function work.number_results()
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  max_numbered constant int := 2000;
  taken record;
begin
  if not core.begin_periodic_task('number_results') then
    return false;
  end if;
  with free as materialized (
    select m.account_id from supply.result_marks m
    where m.account_id = any (array(select distinct u.account_id from supply.unnumbered_results u))
    order by m.account_id for no key update skip locked
  ), taken as (
    delete from supply.unnumbered_results u
    where u.order_id = any (array(
      select w.order_id from supply.unnumbered_results w where w.account_id in (select f.account_id from free f)
      order by w.completed_at, w.order_id limit max_numbered for update skip locked))
    returning u.*
  )
  select coalesce(array_agg(t.order_id order by t.completed_at, t.order_id), '{}') as order_ids,
    array_agg(t.account_id order by t.completed_at, t.order_id) as account_ids
  into taken from taken t;
  perform core.number_results(taken.order_ids, taken.account_ids);
  return cardinality(taken.order_ids) = max_numbered;
end
$$;
comment on function work.number_results is
  'Numbers the results of at most 2,000 final orders that found the mark of their account locked. Returns whether
there may be more. Call it every second from each worker; only one runs at a time.';
