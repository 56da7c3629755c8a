create or replace function work.begin_calls(
  item_ids uuid[], under_way jsonb default '{}', supplier_cap int default null
)
returns table (
  ordinal int, item_id uuid, claim_id uuid, method text, protocol text, base_url text, token text,
  reference uuid, sku text, quantity int, delivery_data jsonb, supplier text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  due_ids uuid[];
  later_ids uuid[];
  later_times timestamptz[];
begin
  perform 1 from supply.order_items i where i.id = any (item_ids) order by i.id for no key update;

  select coalesce(array_agg(d.id) filter (where d.due_at <= now()), '{}'),
    coalesce(array_agg(d.id order by d.id) filter (where d.due_at > now()), '{}'),
    coalesce(array_agg(d.due_at order by d.id) filter (where d.due_at > now()), '{}')
  into due_ids, later_ids, later_times
  from (
    select i.id, case
      -- Whoever comes too early, by a clock that was set back or a job that had a successor, must not be the last to come.
      when planned.at > now() then planned.at
      when coalesce((under_way ->> i.supplier)::int, 0)
        + row_number() over (partition by i.supplier, planned.at <= now() order by i.id) > supplier_cap
        then now() + core.backoff(now() - coalesce(i.next_check_at, now()))
      else planned.at
    end as due_at
    from supply.order_items i
    -- Without a claim, nothing planned means held for an operator.
    cross join lateral (select coalesce(i.claim_expires_at, i.next_check_at) as at) as planned
    where i.id = any (item_ids) and i.completed_at is null and i.status <> 'pending' and planned.at is not null
  ) as d;

  return query
  with claimed as (
    update supply.order_items i set
      next_call = 'get', sent_at = coalesce(i.sent_at, now()), claim_id = gen_random_uuid(), claim_expires_at = now() + interval '45 s'
    from (select b.id, b.next_call as method from supply.order_items b where b.id = any (due_ids)) as before
    where i.id = before.id
    returning i.id, i.claim_id, before.method, i.sku, i.amount, i.delivery_data, i.supplier
  ), noted as (
    insert into supply.supplier_attempts (item_id, supplier, method, claim_id)
    select c.id, c.supplier, c.method, c.claim_id from claimed c order by c.id
  )
  select array_position(item_ids, c.id), c.id, c.claim_id, c.method, s.protocol, s.base_url, s.token,
    c.id, c.sku, c.amount, c.delivery_data, c.supplier
  from claimed c
  cross join lateral (select s.* from supply.suppliers s where s.code = c.supplier offset 0) as s;
  perform core.enqueue('call_supplier', later_ids, later_times, 'call_supplier');
end
$$;
comment on function work.begin_calls is
  'Claims the calls to suppliers that are due now for these items, before they are made, and gives what to call; ordinal is the item''s '
  'place in item_ids. An item is sent (put) only if it was never sent or the supplier never received it; else it is asked for (get). '
  'A claim holds for 45 s; an item under another''s claim is looked at again when that ends. Of a supplier who has supplier_cap calls under '
  'way in the asking process ({supplier: calls}; a null cap: any number) the others wait: one who hangs does not hold up the rest.';
