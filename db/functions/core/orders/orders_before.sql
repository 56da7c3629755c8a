create or replace function core.orders_before(account_id bigint, before timestamptz)
returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_bitmapscan = off
as $$
#variable_conflict use_variable
declare
  known supply.order_positions;
begin
  select p.* into known from supply.order_positions p
  where p.account_id = orders_before.account_id and p.created_at < coalesce(before, 'infinity')
  order by p.created_at desc, p.order_id desc limit 1;
  return coalesce(known.position, 0) + (
    select count(*) from supply.orders o
    where o.account_id = orders_before.account_id and o.created_at < coalesce(before, 'infinity')
      and (o.created_at, o.id) > (coalesce(known.created_at, '-infinity'), coalesce(known.order_id, 0)));
end
$$;
comment on function core.orders_before is
  'How many orders an account has that were placed before a time; null: ever. Counts from the nearest position that is noted (work.note_order_positions).';
