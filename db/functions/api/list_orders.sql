create or replace function api.list_orders(
  account_id bigint, page_limit int, after_code text default null, page int default null, status text default null,
  external_order_id text default null, created_from timestamptz default null, created_to timestamptz default null, as_of bigint default null
)
returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
-- A page is read from its beginning in the order of its index, never collected and sorted.
set enable_sort = off set enable_incremental_sort = off set enable_bitmapscan = off
as $$
#variable_conflict use_variable
declare
  after supply.orders;
  -- Only what is asked for is part of the statement: each combination has its own plan and the index that serves it. The
  -- values are parameters. Open and final orders stand in indexes of their own by status; a reference finds fewer than that.
  condition constant text := concat_ws(' and ',
    'o.account_id = $1',
    case when status is not null then 'o.status = $2' end,
    case when status is not null and external_order_id is null then
      case when status in ('completed', 'failed') then 'o.completed_at is not null' else 'o.completed_at is null' end end,
    case when external_order_id is not null then 'o.external_order_id = $3' end,
    case when created_from is not null then 'o.created_at >= $4' end,
    case when created_to is not null then 'o.created_at <= $5' end,
    case when as_of is not null then 'o.id <= $10' end);
  -- Orders of an account are placed under its lock: their numbers and their charges are in the order of their commits.
  newest_seq bigint;
  newest_id bigint;
  total bigint;
  start record;
  has_positions constant boolean := status is null and external_order_id is null and after_code is null;
  -- Where positions are noted, no more than so many are counted one by one.
  few constant int := 500;
  ids bigint[];
  has_more boolean;
  -- Numbered pages hold page_limit orders each, because the place of an order follows from its page.
  max_items constant int := 1000;
  page_size int := page_limit;
begin
  if after_code is not null then
    select o.* into after from supply.orders o where o.id = core.own_order(account_id, after_code);
    if not found then
      return null;
    end if;
  end if;

  if page is not null then
    newest_seq := (select a.last_seq from supply.accounts a where a.id = account_id);
    if as_of > newest_seq then
      return null;
    end if;
  end if;
  if as_of is not null then
    newest_id := coalesce((
      select l.order_id from supply.ledger l
      where l.account_id = list_orders.account_id and l.seq <= as_of and l.type = 'order_charge' order by l.seq desc limit 1), 0);
  end if;

  select after.created_at, after.id as order_id, (coalesce(page, 1) - 1)::bigint * page_limit as still_skipped into start;
  if page is not null then
    execute format('select count(*) from (select from supply.orders o where %s limit $6) as counted', condition) into total
    using account_id, status, external_order_id, created_from, created_to, case when has_positions then few + 1 end, null, null, null, newest_id;
    if has_positions and total > few then
      select p.* into start from core.page_start(account_id, start.still_skipped, created_from, created_to, as_of) p;
      total := start.total;
    end if;
  end if;

  execute format(
    'select array(select o.id from supply.orders o where %s %s order by o.created_at desc, o.id desc limit $8 offset $9)',
    condition, case
      when after.id is not null then 'and (o.created_at, o.id) < ($6, $7)'
      when start.order_id is not null then 'and (o.created_at, o.id) <= ($6, $7)' end)
  into ids
  using account_id, status, external_order_id, created_from, created_to, start.created_at, start.order_id,
    page_limit + 1, start.still_skipped, newest_id;
  if page is null then
    select greatest(1, count(*) filter (where sized.items <= max_items)) into page_size
    from (
      select sum(counted.items) over (order by listed.place) as items
      from unnest(ids[1:page_limit]) with ordinality as listed (id, place)
      cross join lateral (select count(*) as items from supply.order_items i where i.order_id = listed.id) as counted
    ) as sized;
  end if;
  has_more := cardinality(ids) > page_size;
  ids := ids[1:page_size];

  return json_build_object(
    'orders', (
      select coalesce(json_agg(core.order_json(listed.id, false) order by listed.place), '[]')
      from unnest(ids) with ordinality as listed (id, place)),
    'pagination', json_strip_nulls(json_build_object('limit', page_limit, 'total', total,
      'asOf', coalesce(as_of, newest_seq)::text))::jsonb || jsonb_build_object(
      'nextCursor', case when has_more then (select o.code from supply.orders o where o.id = ids[page_size]) end,
      'hasMore', has_more)
  );
end
$$;
comment on function api.list_orders is
  'The account''s orders, newest first, without keys. after_code is a nextCursor; without a page number, a page has at most 1,000 items, but at '
  'least one order. The page number (from 1) adds the total and asOf: the seq '
  'of the newest ledger entry, in the very state that is read. As as_of it leaves out what was placed after that, whatever its time. '
  'Null if after_code is no order of the account, or the account has no entry as_of yet. Specification 4.';
