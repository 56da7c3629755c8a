create or replace function core.decide_orders(requests supply.order_request[])
returns setof supply.order_decision
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  with priced as materialized (
    select i.ordinal, array_agg(i order by i.place) as items,
      least(min((i.faults[1]).result), case
        when sum(i.quantity::bigint) filter (where i.delivery_type = 'key') > 10000
          then 'QUANTITY_OUT_OF_RANGE'::supply.order_result end) as fault,
      -- guard: an order costs price times quantity
      case when count(i.price) = count(*) then sum(i.price * i.quantity) end as total,
      jsonb_agg(jsonb_build_object('productId', i.product_id, 'quantity', i.quantity, 'deliveryData', i.delivery_data)
        order by i.place) as request_items
    from core.price_items(requests) as i group by i.ordinal
  ), checked as (
    select r.request, p.items, p.request_items, p.total, a.currency, a.balance, spending.room,
      spending.exceeded, o.id as earlier_id,
      o.code as earlier_code, earlier.differing, case
        -- The key was checked by the admission; it may have been revoked since, and then it must not spend.
        -- guard: a revoked key spends nothing
        when not a.active or key.works is not true then 'UNAUTHORIZED'
        when earlier.differing = '{}' then 'replayed'
        when earlier.differing <> '{}' then 'IDEMPOTENCY_KEY_REUSED'
        when r.callback_error is not null then 'INVALID_CALLBACK_URL'
        when p.fault is not null then p.fault
        when p.total > r.max_total then 'PRICE_CHANGED'
        -- guard: an order fits its spending limits
        when p.total > spending.room then 'SPENDING_LIMIT'
        -- guard: the balance covers an order
        when p.total > a.balance then 'INSUFFICIENT_BALANCE'
        else 'created'
      end::supply.order_result as result
    from priced p
    -- Found by its place: a join would compare each request with each.
    cross join lateral (select requests[p.ordinal] as request, (requests[p.ordinal]).* offset 0) as r
    cross join lateral (select a.* from supply.accounts a where a.id = r.account_id offset 0) as a
    left join lateral (
      select k.account_id = r.account_id and k.revoked_at is null and k.starts_at <= now()
        and (k.expires_at is null or k.expires_at > now()) as works, coalesce(k.first_key_id, k.id) as line_id
      from supply.api_keys k where k.id = r.key_id offset 0) as key on true
    -- Usually an account has no limit. Then no function is called.
    left join lateral core.room_for(
      case when exists (select from supply.spending_limits l where l.account_id = r.account_id) then r.account_id end,
      key.line_id, p.total) as spending on true
    left join lateral (
      -- Written so that no other index serves it: many orders may have the account, and many accounts the key.
      select o.* from supply.orders o
      -- guard: an idempotency key belongs to one account
      where o.idempotency_key = r.idempotency_key and o.account_id + 0 = r.account_id offset 0) as o on true
    left join lateral (
      select core.differing_fields(
        r.request, p.request_items, o.external_order_id, o.callback_url, case
          when o.items_fingerprint is null then o.request_items
          -- Erased: the earlier items are those of the request if the fingerprint says so.
          when o.items_fingerprint = core.items_fingerprint(o.id, p.request_items) then p.request_items
          else '[]'
        end) as differing) as earlier
      on o.id is not null
  )
  select c.request, case
      -- An earlier request of the batch has the same key, or spends money that this one needs: that one goes first.
      when bool_or(c.result = 'created') over same_key then 'busy'
      when c.result = 'created'
        -- guard: an order of a batch leaves less for the next
        and sum(c.total) filter (where c.result = 'created') over same_account > least(c.balance, c.room) then 'busy'
      else c.result
    end, c.items, c.request_items, c.total, c.currency, c.balance, c.room,
    c.exceeded, c.earlier_id, c.earlier_code, c.differing
  from checked c
  window same_account as (partition by (c.request).account_id order by (c.request).ordinal),
    same_key as (partition by (c.request).account_id, (c.request).idempotency_key order by (c.request).ordinal
      rows between unbounded preceding and 1 preceding)
  order by (c.request).account_id, (c.request).ordinal;
end
$$;
comment on function core.decide_orders is
  'Returns a decision about each request, by account and ordinal: the first check that it fails, replayed, or created.
Writes nothing. A caller that writes the orders holds the locks of the accounts. Specification 3, 4.';
