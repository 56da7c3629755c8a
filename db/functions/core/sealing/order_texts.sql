create or replace function core.order_texts(order_ids bigint[], key_id text)
returns table (order_id bigint, kind text, id text, item_id uuid, texts jsonb)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with items as materialized (
    select i.order_id, i.id, kept.codes
    from unnest(order_ids) as o (id)
    cross join lateral (select i.id, i.order_id from supply.order_items i where i.order_id = o.id offset 0) as i
    cross join lateral (
      select array_agg(k.code order by k.position) as codes from supply.item_keys k where k.item_id = i.id) as kept
  ), answers as materialized (
    select i.order_id, i.id as item_id, a.id, a.codes, a.raw
    from items i
    cross join lateral (
      select a.id, a.codes, a.raw from supply.supplier_attempts a
      where a.item_id = i.id and (a.codes <> '{}' or a.raw is not null) offset 0) as a
  ), events as materialized (
    select o.id as order_id, e.id, e.body
    from unnest(order_ids) as wanted (id)
    cross join lateral (select o.id, o.code from supply.orders o where o.id = wanted.id offset 0) as o
    cross join lateral (select e.id, e.body from supply.events e where e.order_code = o.code offset 0) as e
    where strpos(replace(e.body, '{"code" : "sealed:' || key_id || ':', ''), '{"code" : "') > 0
  )
  select i.order_id, 'item', i.id::text, i.id, to_jsonb(i.codes) from items i
  where i.codes is not null
    and (not core.is_under_key(i.codes, key_id) or i.order_id in (select e.order_id from events e))
  union all
  select a.order_id, 'attempt', a.id::text, a.item_id, to_jsonb(a.codes) from answers a
  where not core.is_under_key(a.codes, key_id)
  union all
  select i.order_id, 'replaced', r.id::text, i.id, to_jsonb(array[r.code])
  from items i join supply.replaced_codes r on r.item_id = i.id
  where not core.is_under_key(array[r.code], key_id)
  union all
  select a.order_id, 'answer', a.id::text, a.item_id, to_jsonb(array[a.raw]) from answers a
  where a.raw is not null and not core.is_under_key(array[a.raw], key_id)
  union all
  select e.order_id, 'event', e.id::text, null, to_jsonb(array[e.body]) from events e
$$;
comment on function core.order_texts is
  'Returns the texts of the orders that are not sealed under the data key: kind item (its codes), attempt (its codes),
replaced (a code), answer (raw) and event (its body). With an event come all codes of its order. work.replace_texts
takes the new texts.';
