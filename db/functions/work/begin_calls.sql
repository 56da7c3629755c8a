create or replace function work.begin_calls(item_ids uuid[], under_way jsonb, supplier_cap int)
returns table (
  ordinal int, item_id uuid, lease_token uuid, method text, protocol text, base_url text, token text,
  reference uuid, sku text, quantity int, delivery_data jsonb, supplier text,
  delivery_type text, unit_cost numeric, currency text, supplier_order_id text, first_sent_at timestamptz,
  token_url text, client_id text, pushes_events boolean, wait_ms double precision,
  request_id text, traceparent text, recipient text, doubted_at timestamptz
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  may_call constant boolean := core.may_call_suppliers();
  locked_ids uuid[];
  suppliers text[];
  needs_turns boolean;
  has_rules boolean;
  may_repeat boolean;
  batch record;
  calls supply.planned_call[];
  stocks text[];
  own uuid[] := '{}';
begin
  select coalesce(array_agg(i.id), '{}'), array_agg(distinct i.supplier) into locked_ids, suppliers
  from (
    select i.id, i.supplier from supply.order_items i where i.id = any (item_ids)
    order by i.id for no key update skip locked) as i;
  select coalesce(bool_or(
      s.paused_at is not null or s.open_since is not null or s.max_calls is not null or s.per_minute is not null
      or (
        select true from supply.order_items w
        where w.supplier = s.code and w.limited_at is not null and w.limited_rank >= 0 and w.completed_at is null
        limit 1)), false),
    coalesce(bool_or(p.asks_by_repeating or p.min_wait is not null), false),
    coalesce(bool_and(p.repeat_safe_for is null), false),
    coalesce(array_agg(s.code) filter (where s.protocol = 'stock'), '{}')
  into needs_turns, has_rules, may_repeat, stocks
  from supply.suppliers s left join supply.protocols p on p.name = s.protocol where s.code = any (suppliers);
  if not item_ids <@ locked_ids then
    perform core.enqueue_busy('call_supplier', array(
      select i.id from supply.order_items i where i.id = any (item_ids) and i.id <> all (locked_ids)));
  end if;
  if needs_turns then
    perform core.choose_again(locked_ids);
    -- An item may just have moved to a stock.
    stocks := array(select s.code from supply.suppliers s where s.protocol = 'stock');
  end if;
  if has_rules then
    perform core.hold_unaskable(locked_ids);
  end if;

  select coalesce(array_agg(d.id) filter (where d.at <= now()), '{}') as due,
    coalesce(array_agg(d.id) filter (where d.at <= now() and d.has_room), '{}') as ready,
    array_agg(d.id) filter (where d.at > now()) as early, array_agg(d.at) filter (where d.at > now()) as early_at
  into batch
  from (
    select i.id, planned.at,
      -- guard: no supplier is called after a failover that may have lost orders
      may_call and (
        coalesce(coalesce((under_way ->> i.supplier)::int, 0) + row_number() over (
          partition by i.supplier, planned.at <= now() order by i.limited_at, i.id) <= supplier_cap, true)
        -- A limit of its own counts for all workers together.
        or i.supplier = any (stocks)
        or exists (select from supply.suppliers s where s.code = i.supplier and s.max_calls is not null)) as has_room
    from supply.order_items i
    -- Without a lease, nothing planned means held for an operator.
    -- guard: no worker calls for an item under another lease
    cross join lateral (select coalesce(i.lease_expires_at, i.next_check_at) as at) as due
    cross join lateral (
      -- guard: two calls about an item have the smallest wait of the protocol between them
      select case when has_rules and due.at <= now() then greatest(due.at, core.earliest_call(i)) else due.at end as at
    ) as planned
    where i.id = any (locked_ids) and i.completed_at is null and planned.at is not null
  ) as d;
  -- A job can run early, after the clock was set back or when another has replaced it. Its item still needs a job.
  if batch.early is not null then
    if has_rules then
      update supply.order_items i set
        next_check_at = e.at, lease_expires_at = null, limited_at = null, limited_rank = null
      from unnest(batch.early, batch.early_at) as e (id, at)
      where i.id = e.id and coalesce(i.lease_expires_at, i.next_check_at) <= now();
    end if;
    perform core.enqueue('call_supplier', batch.early, batch.early_at, 'call_supplier');
  end if;
  calls := array(
    select t from core.take_turns(batch.ready) as t where needs_turns
    union all
    select row(r, 0)::supply.planned_call from unnest(batch.ready) as r where not needs_turns);
  if cardinality(calls) < cardinality(batch.due) then
    perform core.limit_items(array(
      select d from unnest(batch.due) as d where d <> all (array(select c.item_id from unnest(calls) as c))));
  end if;

  -- Our own codes need no call and no lease: the token is the name of the sale.
  if stocks <> '{}' then
    own := array(
      select i.id from supply.order_items i
      where i.id = any (array(select c.item_id from unnest(calls) as c)) and i.supplier = any (stocks));
    update supply.order_items i set limited_at = null, limited_rank = null
    where i.id = any (own) and i.limited_at is not null;
    return query
    select array_position(item_ids, i.id), i.id, core.time_ordered_uuid(), 'stock', 'stock', '', '', i.id, i.sku,
      i.amount, i.delivery_data, i.supplier, i.delivery_type, null::numeric, null::text, null::text,
      null::timestamptz, null::text, null::text, false, 0::double precision, o.request_id, o.traceparent,
      null::text, null::timestamptz
    from supply.order_items i join supply.orders o on o.id = i.order_id where i.id = any (own);
  end if;

  -- On the disk before the call, also where a repeat is safe: an item whose lease is lost in a crash looks unsent, and
  -- could be cancelled and refunded, or go to another supplier, while the first one delivers it.
  return query
  with leased as (
    update supply.order_items i set
      next_call = 'get', sent_at = coalesce(i.sent_at, now()), lease_token = core.time_ordered_uuid(),
      limited_at = null, limited_rank = null,
      recipient = case when before.sent_at is not null then i.recipient else (
        select o.recipient from supply.offers o where o.product_id = i.product_id and o.supplier = i.supplier) end,
      lease_expires_at = now() + interval '45 s' + before.wait_ms * interval '1 ms'
    from (
      select b.ctid as at, b.sent_at, c.wait_ms, case
        -- The worker may have been away since the answer that allowed it.
        when b.next_call = 'put' and (
          b.sent_at is null or core.repeat_is_safe(b.supplier, b.sent_at, b.recovered_at)) then 'put'
        when has_rules and core.asks_by_repeating(b.supplier) then 'put'
        else 'get'
      end as method
      from unnest(calls) as c
      cross join lateral (select b.ctid, b.* from supply.order_items b where b.id = c.item_id offset 0) as b
      where c.item_id <> all (own)
    ) as before
    -- By its place in the table: a plan by id may compare each item with each.
    where i.ctid = before.at
    returning i.*, before.method, before.sent_at as first_sent_at, before.wait_ms
  ), attempts as (
    insert into supply.supplier_attempts (item_id, supplier, method, lease_token)
    select c.id, c.supplier, c.method, c.lease_token from leased c order by c.id
  )
  select array_position(item_ids, c.id), c.id, c.lease_token, c.method, s.protocol, s.base_url, s.token,
    c.id, c.sku, c.amount, c.delivery_data, c.supplier, c.delivery_type, terms.cost, terms.currency,
    c.supplier_order_id,
    -- An item that an operator sends again was sent: the adapter looks for its order first.
    coalesce(c.first_sent_at, case when not may_repeat then (
      select max(a.finished_at) from supply.supplier_attempts a
      where a.item_id = c.id and a.supplier = c.supplier and a.verdict = 'sent_again') end),
    s.token_url, s.client_id, s.push_secret is not null, c.wait_ms,
    placed.request_id, placed.traceparent,
    case when c.recipient is not null then core.fill_recipient(c.recipient, c.delivery_data) end,
    case when has_rules then (
      select min(a.finished_at) from supply.supplier_attempts a
      where a.item_id = c.id and a.supplier = c.supplier and a.outcome = 'processing' and a.error_code is not null
        and a.id > coalesce((
          select max(o.id) from supply.supplier_attempts o
          where o.item_id = c.id and o.supplier = c.supplier and o.outcome = 'processing' and o.error_code is null), 0)
    ) end
  from leased c
  cross join lateral (
    select o.request_id, o.traceparent from supply.orders o where o.id = c.order_id offset 0) as placed
  cross join lateral (select s.* from supply.suppliers s where s.code = c.supplier offset 0) as s
  left join lateral (
    select core.highest_cost(o, p, c.price) as cost, coalesce(o.currency, p.currency) as currency
    from supply.offers o join supply.products p on p.id = o.product_id
    -- The protocol http has no costs. As a condition of the join this would be checked after the rest was read.
    where s.protocol <> 'http' and o.product_id = c.product_id and o.supplier = c.supplier and o.cost is not null
    offset 0
  ) as terms on true;
  -- Workers that meet at the places of a supplier leave their items behind: the next one takes them along.
  if cardinality(calls) < cardinality(batch.ready) then
    perform core.fill_places(array(
      select distinct i.supplier from supply.order_items i where i.id = any (batch.ready) and i.limited_rank >= 0));
  end if;
end
$$;
comment on function work.begin_calls is
  'Leases (45 s) the due calls for items and returns what to call. An item without a place at its supplier waits for
one, also over supplier_cap calls of this process (under_way). method: put only where a repeat is safe. wait_ms: by
limits. unit_cost: at most for a unit. doubted_at: since when it is processing with an error. ordinal: in item_ids.
nullable: unit_cost, currency, supplier_order_id, first_sent_at, token_url, client_id, request_id, traceparent, '
  'recipient, doubted_at';
