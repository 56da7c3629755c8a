create or replace function api.report_lost_orders(codes text[])
returns table (lost_code text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  codes_lost constant text[] := array(
    select c from unnest(codes) as c
    -- The login of the API holds no calls without a failover, nor by a code that no order can have.
    where core.may_have_lost() and c ~ '^ord_[0-9a-f]{32}$'
      and not exists (select from supply.orders o where o.code = c offset 0));
begin
  perform core.hold_calls(array(select 'order ' || l from unnest(codes_lost) as l));
  return query select l from unnest(codes_lost) as l;
end
$$;
comment on function api.report_lost_orders is
  'Takes the codes of orders that a process acknowledged before a failover within an hour, and returns those that do
not exist. If there are any, operators are alerted, and workers call no supplier until ops.begin_recovery or
ops.confirm_origin.';
