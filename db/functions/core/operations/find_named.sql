create or replace function core.find_named(kind text, reference text)
returns table (id text, account_id bigint, rank int, detail text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select f.*
  from (select lower(core.trim_blanks(reference)) as text, btrim(reference) as exact_text) as wanted
  cross join lateral (
    select named.id, named.account_id, case
        when named.id = wanted.text then 1
        when lower(named.name) = wanted.text then 2
        when named.account_id in (
          select k.account_id from core.find_named('key', reference) k where k.id <> core.trim_blanks(reference)) then 3
        when length(wanted.text) >= 2 and strpos(lower(named.name), wanted.text) > 0
          then case when wanted.text ~ '^[0-9]+$' then 9 else 4 end
      end, concat(named.name, '; ', named.detail)
    from (
      select a.id::text, a.id, a.name,
        format('%s, %s, %s', a.kind, a.mode, case when a.active then 'active' else 'closed' end)
      from supply.accounts a where find_named.kind = 'account'
      union all
      select p.id::text, null, p.name,
        format('%s %s, %s', p.price, p.currency, case when p.in_stock then 'in stock' else 'out of stock' end)
      from supply.products p where find_named.kind = 'product'
    ) as named (id, account_id, name, detail)
    union all
    -- Four digits may be the number of one key and the end of another.
    select k.id::text, k.account_id, 1, format('key %s, %s…%s, %s, %s', k.id, k.prefix, k.last4, k.scope, case
        when k.revoked_at is not null then 'revoked'
        when k.expires_at <= now() then 'expired'
        when k.starts_at > now() then 'not valid yet'
        else 'valid'
      end)
    from supply.api_keys k
    where find_named.kind = 'key' and (k.id::text = wanted.text
      or wanted.exact_text in (k.prefix, k.last4, k.prefix || '…' || k.last4, k.prefix || '...' || k.last4)
      or k.key_hash = sha256(convert_to(wanted.exact_text, 'UTF8')))
    union all
    select o.code, o.account_id, 1,
      format('account %s, %s, placed %s', o.account_id, o.status, date_trunc('second', o.created_at))
    from supply.orders o
    where find_named.kind = 'order' and o.id = any (array(select f.order_id from core.find_orders(reference) f))
    union all
    select distinct i.id::text, o.account_id, 1,
      format('order %s, %s × %s, %s', o.code, i.amount, i.product_name, i.status)
    from core.find_orders(reference) f
    join supply.order_items i on i.order_id = f.order_id and (f.kind <> 'item' or i.id = f.id::uuid)
    join supply.orders o on o.id = i.order_id
    where find_named.kind = 'item'
    union all
    select e.id::text, e.account_id, 1, format('order %s, %s, %s', e.order_code, e.event_type, e.state)
    from supply.events e
    where find_named.kind = 'event'
      and (e.id = core.uuid_of(wanted.exact_text)
        or e.order_id = any (array(select f.order_id from core.find_orders(reference) f)))
  ) as f (id, account_id, rank, detail)
  where f.rank is not null
  order by f.rank, length(f.id), f.id
$$;
comment on function core.find_named is
  'Finds the accounts, products, keys, orders, items or events (kind) that a reference may mean, best match first: by
number or id, name, key, part of the name, or order reference (core.find_orders). rank 9: a number within a name.';
