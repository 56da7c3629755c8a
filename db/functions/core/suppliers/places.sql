create or replace view core.places as
select s.code as supplier,
  -- Without a limit of its own a supplier has the places that the living workers have for one supplier
  least(case when s.open_since is not null then 2 end, coalesce(s.max_calls, (
    select nullif(sum(w.places), 0)::int from supply.worker_pools w where w.seen_at > now() - interval '10 s'), 100)
  ) as places,
  (
    select count(*)::int
    from supply.supplier_attempts a
    join supply.order_items i on i.id = a.item_id
    -- A lease is shorter, but a transaction may have waited for locks.
    where a.supplier = s.code and a.finished_at is null and a.method in ('put', 'get')
      and a.started_at > now() - interval '50 s' and a.started_at < now() + interval '1 minute'
      -- A push that settles an item ends its lease, but not its call.
      and i.lease_token = a.lease_token and (i.lease_expires_at is null or i.lease_expires_at > now())
  ) as under_way,
  (
    select count(*)::int from supply.order_items i
    where i.supplier = s.code and i.limited_at is not null and i.limited_rank is null and i.completed_at is null
  ) as given
from supply.suppliers s;
comment on view core.places is 'The places of each supplier over all workers: how many calls to it may be under way.';
comment on column core.places.supplier is 'The supplier.';
comment on column core.places.places is
  'Its max_calls, else what the living workers have for one supplier (100 if none lives); two at an open circuit.';
comment on column core.places.under_way is 'How many calls are under way: without a result, and with a lease.';
comment on column core.places.given is
  'How many items that waited have a place, and a job that has not begun the call.';
