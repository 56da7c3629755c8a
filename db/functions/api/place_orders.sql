create or replace function api.place_orders(requests jsonb)
returns table (ordinal int, result supply.order_result, total_amount numeric, body json)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant supply.order_request[] := array(
    select r from jsonb_populate_recordset(null::supply.order_request, requests) as r);
  locked constant bigint[] := array(
    select a.id from supply.accounts a where a.id = any (array(select r.account_id from unnest(asked) as r))
    -- guard: orders of an account wait for its lock
    order by a.id for no key update skip locked);
  decisions supply.order_decision[] := array(
    select d from core.decide_orders(array(select r from unnest(asked) as r where r.account_id = any (locked))) as d);
  free bigint[] := locked;
begin
  -- Usually no account has a spending limit.
  if exists (select from unnest(decisions) as d where d.room is not null) then
    free := array(
      select l.id from unnest(locked) as l (id)
      where not exists (
        select from supply.spending_limits s
        where s.account_id = l.id
          and (select true from supply.spending_limits f where f.ctid = s.ctid for no key update skip locked) is null));
    decisions := array(select d from unnest(decisions) as d where (d.request).account_id = any (free));
  end if;
  for i in 1 .. cardinality(decisions) loop
    if decisions[i].result = 'created' then
      decisions[i].order_id := nextval('supply.orders_id_seq');
    end if;
  end loop;
  -- guard: an order is written with its jobs
  perform core.enqueue('call_supplier', core.write_orders(array(
    select d from unnest(decisions) as d where d.result = 'created')));
  return query
  select (d.request).ordinal, d.result, d.total,
    coalesce(refusal.body, placed.bodies[array_position(placed.ids, d.order_id)])
  from (
    -- Found by its place: a join would compare each order with each.
    select array_agg(o.order_id) as ids, array_agg(o.body) as bodies
    from core.orders_json(array(select e.order_id from unnest(decisions) as e), false) as o
  ) as placed
  cross join unnest(decisions) as d
  -- Usually none is refused. Then the function is not called.
  left join core.refusals_json(nullif(array(
    select e from unnest(decisions) as e where e.result not in ('created', 'replayed')), '{}')) as refusal
    on refusal.ordinal = (d.request).ordinal
  union all
  select r.ordinal, 'busy', null, '{}' from unnest(asked) as r where r.account_id <> all (free);
end
$$;
comment on function api.place_orders is
  'Places orders in one transaction: each with its charge, ledger row and jobs; one refusal never touches another order.
Returns for each ordinal created or replayed with the order without codes, a refusal with {details, orderCode}, or busy:
its account is locked, or another request of the batch comes first. Specification 3 and 4.
takes: requests supply.order_request[]
nullable: total_amount';
