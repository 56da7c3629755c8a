create or replace function core.lock_results(results supply.call_result[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  order_ids bigint[];
  attempt_ids constant bigint[] := array(
    select a.id from supply.supplier_attempts a where a.id = any (array(select r.attempt_id from unnest(results) as r))
    order by a.id for no key update skip locked);
begin
  order_ids := array(
    select o.id from supply.orders o
    where o.id = any (array(
      select i.order_id from supply.order_items i where i.id = any (array(select r.item_id from unnest(results) as r))))
    order by o.id for no key update skip locked);
  -- A statement of its own, so that it sees which items of the orders have failed by now.
  order_ids := array(
    select o.id
    from (
      select i.order_id, bool_or(r.outcome in ('completed', 'failed')) as may_end,
        bool_or(r.outcome = 'failed') as fails
      from unnest(results) as r
      cross join lateral (select i.order_id from supply.order_items i where i.id = r.item_id offset 0) as i
      group by i.order_id order by i.order_id offset 0
    ) as asked
    cross join lateral (
      select o.id, o.account_id, o.callback_url, o.request_items
      from supply.orders o where o.id = asked.order_id offset 0
    ) as o
    where o.id = any (order_ids) and case
      when asked.may_end is not true then true
      when asked.fails or jsonb_array_length(o.request_items) > 1
        and exists (select from supply.order_items i where i.order_id = o.id and i.status = 'failed')
        then (select true from supply.accounts a where a.id = o.account_id for no key update skip locked)
      -- The event's foreign key.
      when o.callback_url is not null
        then (select true from supply.accounts a where a.id = o.account_id for key share skip locked)
      else true
    end);
  return array(
    select i.id from supply.order_items i
    where i.id = any (array(
        select r.item_id from unnest(results) as r where r.attempt_id is null or r.attempt_id = any (attempt_ids)))
      and i.order_id = any (order_ids)
    order by i.id for no key update skip locked);
end
$$;
comment on function core.lock_results is
  'Locks, without waiting, what results are recorded in: items, orders, and accounts where an order may end with a
refund or an event. Returns the items whose result can be recorded now.';
