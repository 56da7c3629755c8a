create or replace function core.page_start(
  account_id bigint, skipped bigint, created_from timestamptz, created_to timestamptz, as_of bigint,
  out total bigint, out created_at timestamptz, out order_id bigint, out still_skipped bigint
)
returns record
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_bitmapscan = off
as $$
#variable_conflict use_variable
declare
  before constant timestamptz := coalesce(created_to + interval '1 microsecond', 'infinity');
  highest constant bigint := core.orders_before(account_id, before);
  later record;
  first bigint;
  known supply.order_positions;
begin
  select count(*) as orders, min(o.created_at) as since into later
  from supply.ledger l
  cross join lateral (select o.created_at from supply.orders o where o.id = l.order_id offset 0) as o
  where l.account_id = page_start.account_id and l.seq > as_of and l.type = 'order_charge'
    and o.created_at < before and o.created_at >= coalesce(created_from, '-infinity');
  total := greatest(0, highest - later.orders - case when created_from is null then 0 else core.orders_before(account_id, created_from) end);

  first := highest - later.orders - skipped;
  select p.* into known from supply.order_positions p
  where p.account_id = page_start.account_id and p.position >= first
  order by p.position limit 1;
  -- Orders that are left out stand before all others, but where a clock was set back.
  if known.created_at < least(before, later.since) then
    created_at := known.created_at;
    order_id := known.order_id;
    still_skipped := known.position - first;
  else
    still_skipped := skipped;
  end if;
end
$$;
comment on function core.page_start is
  'Where a page of an account''s orders begins, newest first, that so many orders come before, of those placed from created_from to created_to (null: '
  'whenever) and not after the ledger entry as_of (null: none): the order from which to read on, itself included, and how many are to be skipped from '
  'there, few for any page; without an order, from the beginning of the list. With it, how many orders the list has.';
