-- Roles: support
create or replace function ops.redeliver_orders(
  order_codes text[], dry_run boolean default true, callback_url text default null
)
returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  codes text[];
  chosen record;
  started bigint;
begin
  perform core.require(dry_run is not null, 'dry_run must be true or false');
  perform core.require(cardinality(order_codes) between 1 and 10000, 'order_codes must name 1 to 10000 orders',
    hint => 'Such as ops.redeliver_orders(array[''acme-1042'', ''acme-1043'']).');
  codes := array(select distinct core.refer_to('order', c) from unnest(order_codes) as c);
  select coalesce(array_agg(e.event_id) filter (where e.state in ('dead', 'delivered')), '{}') as ids,
    count(*) filter (where e.state = 'dead') as dead, count(*) filter (where e.state = 'delivered') as accepted,
    min(e.delivered_at) as first_at, max(e.delivered_at) as last_at,
    string_agg(format('%s (%s)', o.code, e.state), ', ' order by o.code)
      filter (where e.state not in ('dead', 'delivered')) as not_final,
    string_agg(o.code, ', ' order by o.code) filter (where e.event_id is null) as without,
    array_agg(distinct o.account_id) filter (where e.state in ('dead', 'delivered')) as accounts
  into chosen
  from supply.orders o left join ops.events e on e.order_code = o.code and not e.simulated
  where o.code = any (codes);
  if callback_url is not null then
    perform core.require_partner_host(chosen.accounts, callback_url);
  end if;
  started := case when dry_run then cardinality(chosen.ids)
    else core.start_rounds(chosen.ids, '{delivered,dead}', callback_url => callback_url) end;
  if not dry_run then
    perform core.log_operator('redeliver_orders', 'orders ' || left(array_to_string(codes, ', '), 1000),
      jsonb_strip_nulls(jsonb_build_object('events', started, 'dead', chosen.dead, 'delivered', chosen.accepted,
        'host', core.url_host(callback_url))));
  end if;
  raise notice '%', concat(
    case when dry_run then 'dry run: ' end,
    format('of %s orders, the events of %s %s%s: %s dead letters, %s that were accepted before',
      cardinality(codes), started, case when dry_run then 'would be sent again' else 'begin a new round now' end,
      ' at ' || callback_url, chosen.dead, chosen.accepted),
    ' (' || date_trunc('second', chosen.first_at) || ' to ' || date_trunc('second', chosen.last_at) || ')',
    '; still being delivered: ' || chosen.not_final,
    '; without an event, as they are open, partial, or have no callbackUrl: ' || chosen.without,
    case when dry_run then '; to send them add dry_run => false' end);
  return started;
end
$$;
comment on function ops.redeliver_orders is
  'Sends the events of these orders again, delivered ones and dead letters, as ops.redeliver sends one, and returns how
many. A dry run (the default) only counts. callback_url: a new address, whose host their partners used within 90 days.
Raises if a text names no order, or several.';
