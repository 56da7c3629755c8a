-- Roles: support, trade, finance
create or replace function ops.find(text text)
returns table (kind text, order_code text, account_id bigint, detail text, id text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := btrim(find.text, E' \t\r\n');
  wanted_id constant uuid := core.uuid_of(wanted);
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
  join supply.orders o on o.id = f.order_id
  union all
  select 'sample', e.order_code, e.account_id, format('a sample event of the partner; %s, %s', e.event_type, e.state),
    e.event_id::text
  from ops.events e where e.event_id = wanted_id and e.simulated
  union all
  select 'alert', null, a.account_id, format('%s; %s times in the hour of %s', a.message, a.count,
    date_trunc('second', a.first_at)), a.id::text
  from core.alerts a where a.id = wanted_id;

  return query
  select case k.kind when 'key' then 'api_key' else k.kind end, null, n.account_id, n.detail, n.id
  from (values (1, 'account'), (2, 'key'), (3, 'product')) as k (place, kind)
  cross join lateral (select * from core.find_named(k.kind, wanted) limit 50) as n
  order by k.place, n.rank;
  return query
  select 'supplier', null::text, null::bigint, format('%s at %s, %s', s.protocol, coalesce(s.base_url, 'home'),
    case when s.active
    then 'active' else 'closed' end), s.code
  from supply.suppliers s where lower(s.code) = lower(wanted);
end
$$;
comment on function ops.find is
  'Returns what a text may mean, at most 50 of a kind: orders (by any id or reference), items (also by the supplier''s
order id), events, alerts, accounts and products (by number or a part of the name), API keys (by number, prefix, last
four characters or whole), suppliers. The functions for that kind take id. Shows no key.';
