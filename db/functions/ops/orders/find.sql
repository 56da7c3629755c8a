create or replace function ops.find(text text)
returns table (kind text, order_code text, account_id bigint, detail text, id text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  wanted constant text := btrim(find.text, E' \t\r\n');
  number constant bigint := case when wanted ~ '^[0-9]{1,18}$' then wanted::bigint end;
  wanted_id constant uuid := core.uuid_of(wanted);
  most constant int := 50;
begin
  perform core.require(not core.is_blank(wanted),
    'text must be given: an id, a code, a reference, or a part of a name');
  return query
  select f.kind, o.code, o.account_id,
    case f.kind
      when 'order' then format('%s; %s, %s %s, placed %s', f.found_as, o.status, o.total_amount, o.currency,
        date_trunc('second', o.created_at))
      when 'item' then (
        select format('%s; %s × %s, %s, at %s', f.found_as, i.amount, i.product_name, i.status, i.supplier)
        from supply.order_items i where i.id = f.id::uuid)
      else (select format('%s; %s, %s', f.found_as, e.event_type, e.state) from ops.events e
        where e.event_id = f.id::uuid)
    end, f.id
  from core.find_orders(wanted) f
  cross join lateral (select o.* from supply.orders o where o.id = f.order_id offset 0) as o
  union all
  select 'sample', e.order_code, e.account_id, format('a sample event of the partner; %s, %s', e.event_type, e.state),
    e.event_id::text
  from ops.events e where e.event_id = wanted_id and e.simulated
  union all
  select 'alert', null, null, format('%s; %s times in the hour of %s', a.message, a.count,
    date_trunc('second', a.first_at)), a.id::text
  from supply.alerts a where a.id = wanted_id;

  return query
  select r.* from (
    select 'account', null::text, a.id, format('%s; %s, %s, %s', a.name, a.kind, a.mode, case when a.active
      then 'active' else 'closed' end), a.id::text
    from supply.accounts a
    where a.id = number or length(wanted) >= 2 and strpos(lower(a.name), lower(wanted)) > 0
    order by a.id <> coalesce(number, 0), lower(a.name) <> lower(wanted), a.id limit most) as r;
  return query
  select r.* from (
    select 'api_key', null::text, k.account_id, format('key %s, %s…%s, %s, %s', k.id, k.prefix, k.last4, k.scope, case
        when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' when k.starts_at > now()
          then 'not valid yet' else 'valid' end),
      k.id::text
    from core.find_keys(wanted) k
    order by k.id desc limit most) as r;
  return query
  select 'supplier', null::text, null::bigint, format('%s at %s, %s', s.protocol, s.base_url, case when s.active
    then 'active' else 'closed' end), s.code
  from supply.suppliers s where lower(s.code) = lower(wanted);
  return query
  select r.* from (
    select 'product', null::text, null::bigint, format('%s; %s %s, %s', p.name, p.price, p.currency, case
      when p.in_stock then 'in stock' else 'out of stock' end), p.id::text
    from supply.products p
    where p.id = number or length(wanted) >= 2 and strpos(lower(p.name), lower(wanted)) > 0
    order by p.id <> coalesce(number, 0), lower(p.name) <> lower(wanted), p.id limit most) as r;
end
$$;
comment on function ops.find is
  'Returns what a text may mean, at most 50 of a kind: orders (by any id or reference), items (also by the supplier''s
order id), events, alerts, accounts and products (by number or a part of the name), API keys (by prefix, last four
characters or whole), suppliers. id is what the functions for that kind take. Shows no key.';
