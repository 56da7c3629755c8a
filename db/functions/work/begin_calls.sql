create or replace function work.begin_calls(item_ids uuid[], under_way jsonb, supplier_cap int)
returns table (
  ordinal int, item_id uuid, lease_token uuid, method text, protocol text, base_url text, token text,
  reference uuid, sku text, quantity int, delivery_data jsonb, supplier text,
  delivery_type text, unit_cost numeric, currency text, supplier_order_id text, first_sent_at timestamptz,
  token_url text, client_id text, pushes_events boolean, wait_ms double precision,
  request_id text, traceparent text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  locked_ids uuid[];
  due_ids uuid[];
  postponed_ids uuid[];
  postponed_until timestamptz[];
  special_ids uuid[];
  is_chosen boolean := false;
  waits double precision[];
  turns record;
begin
  perform core.lock_choices(item_ids);
  locked_ids := array(
    select i.id from supply.order_items i where i.id = any (item_ids) order by i.id for no key update skip locked);
  if not item_ids <@ locked_ids then
    perform core.enqueue_busy('call_supplier', array(
      select i.id from supply.order_items i where i.id = any (item_ids) and i.id <> all (locked_ids)));
  end if;

  loop
    select coalesce(array_agg(d.id) filter (where d.due_at <= now()), '{}'),
      coalesce(array_agg(d.id order by d.id) filter (where d.due_at > now()), '{}'),
      coalesce(array_agg(d.due_at order by d.id) filter (where d.due_at > now()), '{}'),
      array_agg(d.id) filter (where d.due_at <= now() and d.is_special)
    into due_ids, postponed_ids, postponed_until, special_ids
    from (
      select i.id, case
        -- A job can run early, after the clock was set back or when another has replaced it. Its item still needs a job.
        when planned.at > now() then planned.at
        when coalesce((under_way ->> i.supplier)::int, 0)
          + row_number() over (partition by i.supplier, planned.at <= now() order by i.id) > supplier_cap
          -- A backoff by half the time waited, spread so that not all come back at once.
          then now() + (0.5 + random()) * least(interval '1 minute', greatest(interval '250 ms', (now() - i.next_check_at) / 2))
        else planned.at
      end as due_at, i.supplier = any (array(
        select s.code from supply.suppliers s
        where s.paused_at is not null or s.open_since is not null or s.max_calls is not null or s.max_per_second is not null)) as is_special
      from supply.order_items i
      -- Without a lease, nothing planned means held for an operator.
      cross join lateral (select coalesce(i.lease_expires_at, i.next_check_at) as at) as planned
      where i.id = any (locked_ids) and i.completed_at is null and planned.at is not null
    ) as d;
    exit when special_ids is null or is_chosen;
    perform core.choose_again(special_ids);
    is_chosen := true;
  end loop;
  if special_ids is not null then
    select t.* into turns from core.take_turns(due_ids) t;
    due_ids := turns.taken;
    waits := turns.waits;
    postponed_ids := postponed_ids || turns.late;
    postponed_until := postponed_until || turns.late_until;
  end if;

  return query
  with leased as (
    update supply.order_items i set
      next_call = 'get', sent_at = coalesce(i.sent_at, now()), lease_token = core.time_ordered_uuid(), limited_at = null,
      lease_expires_at = now() + interval '45 s' + coalesce(waits[array_position(due_ids, i.id)], 0) * interval '1 ms'
    from (
      select b.id, b.sent_at, case
        -- The worker may have been away since the answer that allowed it.
        when b.next_call = 'put' and b.sent_at is not null and not core.repeat_is_safe(b.supplier, b.sent_at, b.recovered_at) then 'get'
        else b.next_call
      end as method
      from supply.order_items b where b.id = any (due_ids)
    ) as before
    where i.id = before.id
    returning i.id, i.lease_token, before.method, i.sku, i.amount, i.delivery_data, i.supplier, i.product_id, i.delivery_type, i.supplier_order_id,
      before.sent_at, i.order_id, i.price
  ), noted as (
    insert into supply.supplier_attempts (item_id, supplier, method, lease_token)
    select c.id, c.supplier, c.method, c.lease_token from leased c order by c.id
  )
  select array_position(item_ids, c.id), c.id, c.lease_token, c.method, s.protocol, s.base_url, s.token,
    c.id, c.sku, c.amount, c.delivery_data, c.supplier, c.delivery_type, terms.cost, terms.currency, c.supplier_order_id, c.sent_at,
    s.token_url, s.client_id, s.push_secret is not null,
    coalesce(waits[array_position(due_ids, c.id)], 0), placed.request_id, placed.traceparent
  from leased c
  cross join lateral (select o.request_id, o.traceparent from supply.orders o where o.id = c.order_id offset 0) as placed
  cross join lateral (select s.* from supply.suppliers s where s.code = c.supplier offset 0) as s
  left join lateral (
    select least(o.cost, o.max_cost, case when rule.min_margin is not null then
        -- To some suppliers a cost of zero is no limit at all.
        greatest(floor(floor((1 - rule.min_margin) * c.price * 100) / coalesce(r.rate, 1)) / 100, 0.01)::numeric(14, 2) end) as cost,
      coalesce(o.currency, p.currency) as currency
    from supply.offers o join supply.products p on p.id = o.product_id
    left join supply.rates r on r.from_currency = o.currency and r.to_currency = p.currency
    cross join lateral (select coalesce(p.min_margin, (select r.min_margin from supply.offer_rules r)) as min_margin) as rule
    -- The protocol http says nothing of costs. As a condition of the join this would be looked at after the rest was read.
    where s.protocol <> 'http' and o.product_id = c.product_id and o.supplier = c.supplier and o.cost is not null offset 0
  ) as terms on true;
  perform core.enqueue('call_supplier', postponed_ids, postponed_until, 'call_supplier');
end
$$;
comment on function work.begin_calls is
  'Leases the calls to suppliers that are due now for these items, before they are made, and returns what to call; ordinal is the item''s '
  'place in item_ids. An item that was never sent leaves a supplier that is paused or gives no usable answers (core.choose_again). An item is sent (put) only if it was never sent, or the supplier never received it and a repeat is safe; else it is asked for (get). '
  'lease_token is the fencing token. A lease lasts 45 s; an item under a lease is looked at again when that ends, one that another '
  'transaction has locked within a second. under_way counts the calls '
  'of this process by supplier; where a supplier has supplier_cap of them (null: no limit), further items wait with a backoff. unit_cost is what the offer costs now, at most its max_cost and what leaves the least margin of the item''s price, in currency '
  '(not told of the protocol http); first_sent_at is null for an item that was never sent to this supplier; pushes_events: the supplier is set to push events. wait_ms is how long to wait '
  'before the call, by the limits of the supplier (core.take_turns). request_id and traceparent are of the request that placed the order.
nullable: unit_cost, currency, supplier_order_id, first_sent_at, token_url, client_id, request_id, traceparent';
