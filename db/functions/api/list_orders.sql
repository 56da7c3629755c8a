create or replace function api.list_orders(
  account_id bigint, page_limit int, after_code text default null, page int default null, status text default null,
  external_order_id text default null, created_from timestamptz default null, created_to timestamptz default null,
  as_of bigint default null
)
returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
-- A page is read from its beginning in the order of its index, never collected and sorted.
set enable_sort = off set enable_incremental_sort = off set enable_bitmapscan = off
as $$
declare
  -- Only the given filters are part of the statement, so that each combination has the index that serves it. Open and
  -- final orders have indexes of their own by status; a reference finds fewer orders than a status.
  filter constant text := concat(
    case when status is not null then ' and o.status = $4' end,
    case when external_order_id is not null then ' and o.external_order_id = $5'
      when status in ('completed', 'failed') then ' and o.completed_at is not null'
      when status is not null then ' and o.status in (''pending'', ''processing'')' end);
  newest_seq constant bigint := case when page is not null then (
    select a.last_seq from supply.accounts a where a.id = list_orders.account_id) end;
  after_number constant bigint := (
    select o.number from supply.orders o where o.id = core.own_order(list_orders.account_id, after_code));
  -- The list holds the orders with numbers from the lowest to the highest.
  lowest constant bigint := 1 + coalesce((
    select o.number from supply.orders o
    where o.account_id = list_orders.account_id and o.created_at < created_from
    order by o.created_at desc, o.id desc limit 1), 0);
  highest bigint := least(
    after_number - 1,
    case when created_to is not null then coalesce((
      select o.number from supply.orders o
      where o.account_id = list_orders.account_id and o.created_at <= created_to
      order by o.created_at desc, o.id desc limit 1), 0) end,
    case when as_of is not null then coalesce((
      select (select o.number from supply.orders o where o.id = l.order_id) from supply.ledger l
      where l.account_id = list_orders.account_id and l.seq <= as_of and l.type = 'order_charge'
      order by l.seq desc limit 1), 0) end,
    coalesce((
      select o.number from supply.orders o where o.account_id = list_orders.account_id
      order by o.number desc limit 1), 0));
  skipped bigint := (coalesce(page, 1) - 1)::bigint * page_limit;
  total bigint;
  ids bigint[];
  -- Numbered pages hold page_limit orders each, because the place of an order follows from its page.
  page_size int := page_limit;
  max_items constant int := 1000;
  has_more boolean;
begin
  if as_of > newest_seq or after_code is not null and after_number is null then
    return null;
  end if;
  if page is not null and filter <> '' then
    execute 'select count(*) from supply.orders o where o.account_id = $1 and o.number between $2 and $3' || filter
    into total using account_id, lowest, highest, status, external_order_id;
  elsif page is not null then
    total := greatest(0, highest - lowest + 1);
    highest := highest - skipped;
    skipped := 0;
  end if;
  execute format('select array(select o.id from supply.orders o where o.account_id = $1
    and o.number between $2 and $3 %s order by o.number desc limit $6 offset $7)', filter)
  into ids using account_id, lowest, highest, status, external_order_id, page_limit + 1, skipped;
  if page is null then
    select greatest(1, count(*) filter (where sized.items <= max_items)) into page_size
    from (
      select sum(counted.items) over (order by listed.place) as items
      from unnest(ids[1:page_limit]) with ordinality as listed (id, place)
      cross join lateral (select count(*) as items from supply.order_items i where i.order_id = listed.id) as counted
    ) as sized;
  end if;
  has_more := cardinality(ids) > page_size;
  return json_build_object(
    'orders', (
      select coalesce(json_agg(o.body order by listed.place), '[]')
      from unnest(ids[1:page_size]) with ordinality as listed (id, place)
      -- Called for each order: with many ids, and the settings of this function, PostgreSQL would read all orders.
      cross join lateral core.orders_json(array[listed.id], false) as o),
    'pagination', json_strip_nulls(json_build_object('limit', page_limit, 'total', total,
      'asOf', coalesce(as_of, newest_seq)::text))::jsonb || jsonb_build_object(
      'nextCursor', case when has_more then (select o.code from supply.orders o where o.id = ids[page_size]) end,
      'hasMore', has_more));
end
$$;
comment on function api.list_orders is
  'Returns the account''s orders, newest first, without codes. Without a page number, a page has at most 1,000 items.
With one: total and asOf, the seq of the newest ledger entry; as_of leaves out what was placed later. after_code is a
nextCursor. Null: after_code is no order of the account, or it has no entry as_of. Specification 4.';
