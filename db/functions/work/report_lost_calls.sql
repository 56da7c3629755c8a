create or replace function work.report_lost_calls(item_ids uuid[], lease_tokens uuid[], are_recorded boolean[])
returns table (lost_item uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  items_lost constant uuid[] := array(
    select distinct c.item_id from unnest(item_ids, lease_tokens, are_recorded) as c (item_id, lease_token, is_recorded)
    where core.may_have_lost() and not exists (
      select from supply.supplier_attempts a
      where a.lease_token = c.lease_token and (a.finished_at is not null or not c.is_recorded) offset 0)
    order by c.item_id);
begin
  perform core.hold_calls(array(select 'item ' || l from unnest(items_lost) as l));
  return query select l from unnest(items_lost) as l;
end
$$;
comment on function work.report_lost_calls is
  'Takes the calls that a process leased before a failover, and whether it recorded the result of each. Returns the
items whose lease or result is missing. If there are any, operators are alerted, and workers call no supplier until
ops.begin_recovery or ops.confirm_origin.';
