create or replace function core.story_of_order(order_id bigint)
returns table (at timestamptz, place int, actor text, what text, detail text)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  placed supply.orders := (select o from supply.orders o where o.id = order_id);
  account text := (select a.name from supply.accounts a where a.id = placed.account_id);
  url constant text := regexp_replace(placed.callback_url, '[?].*$', '?…');
  item_ids uuid[] := array(select i.id from supply.order_items i where i.order_id = placed.id);
  ended_at timestamptz := case when placed.completed_at is not null
    then core.story_end(item_ids, placed.completed_at) end;
begin
  return query
  select placed.created_at, 0, 'partner', 'placed', format('%s (account %s) orders %s, as %s; %s', account,
    placed.account_id,
    (
      select string_agg(format('%s × %s at %s %s', s.ordered, s.product_name, s.price, placed.currency), ' and '
        order by s.position)
      from core.story_items s where s.order_id = placed.id and s.part = 0
    ),
    placed.external_order_id, coalesce('the result goes to ' || url, 'no callback URL')
      || coalesce('; request ' || placed.request_id, '') || coalesce('; trace ' || substr(placed.traceparent, 4, 32),
        ''))
  union all
  select l.created_at, case l.type when 'order_charge' then 1 else 7 end,
    case when l.type in ('order_charge', 'order_refund') then 'service' else 'operator ' || l.created_by end,
    case l.type when 'order_charge' then 'charged' when 'order_refund' then 'refunded' else 'refunded by hand' end,
    format('%s %s%s; the balance is %s%s', abs(l.amount), l.currency,
      case
        when l.type = 'order_charge' then ' with payment code ' || placed.payment_code
        when s.label is not null then ' for ' || s.label
        else ''
      end,
      l.balance_after, coalesce('; ' || l.reference, '') || coalesce(': ' || l.note, ''))
  from (
    select l.* from supply.ledger l where l.order_id = placed.id
    union all
    select l.* from supply.ledger l where l.item_id = any (item_ids) and l.type = 'adjustment') as l
  left join core.story_items s on s.id = l.item_id and s.order_id = placed.id;

  if placed.completed_at is null then
    return;
  end if;
  return query
  select ended_at, 6, 'service', 'order ' || placed.status,
    case placed.outcome
      when 'full' then 'everything was delivered' when 'partial' then 'a part was delivered'
        else 'nothing was delivered'
    end || coalesce('; the partner reads: ' || placed.reason, '');
  return query
  select greatest(ended_at, e.created_at, refunded.at), 8, 'service', 'event created',
    format('%s, event %s, to %s', e.event_type, e.id, url)
  from supply.events e
  cross join (
    select max(l.created_at) as at from supply.ledger l where l.order_id = placed.id
      and l.type = 'order_refund') as refunded
  where e.order_id = placed.id;
  if not found then
    return query
    select greatest(ended_at, max(l.created_at)), 8, 'service', 'no event', case
      when placed.callback_url is null then 'the partner gave no callback URL and reads the result from the order'
      else 'a partial result has no event: the partner reads it from the order' end
    from supply.ledger l where l.order_id = placed.id and l.type = 'order_refund';
  end if;
end
$$;
comment on function core.story_of_order is
  'Returns the rows of an order''s story about the order, its charge, its refunds and its event. place sorts the rows
of one moment.';
