create or replace function core.history_of_order(order_id bigint)
returns table (at timestamptz, step supply.order_step, actor text, what text, detail text, item_id uuid, amount numeric)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  placed supply.orders := (select o from supply.orders o where o.id = order_id);
  account text := (select a.name from supply.accounts a where a.id = placed.account_id);
  url constant text := regexp_replace(placed.callback_url, '[?].*$', '?…');
  item_ids uuid[] := array(select i.id from supply.order_items i where i.order_id = placed.id);
  ended_at timestamptz := case when placed.completed_at is not null
    then core.history_end(item_ids, placed.completed_at) end;
begin
  return query
  select placed.created_at, 'placed'::supply.order_step, 'partner', 'placed', format('%s, as %s; account %s (%s); %s',
    (
      select string_agg(format('%s × %s at %s %s', s.ordered, s.product_name, s.price, placed.currency), ' and '
        order by s.position)
      from core.history_items s where s.order_id = placed.id and s.part = 0
    ),
    placed.external_order_id, placed.account_id, account, concat(
      coalesce('the result goes to ' || url, 'no callback URL'), '; key ' || placed.key_id, ' from ' || placed.client,
      '; request ' || placed.request_id, '; trace ' || substr(placed.traceparent, 4, 32))), null::uuid, null::numeric
  union all
  select l.created_at, case
      when l.type = 'order_charge' then 'charged'
      when l.type = 'adjustment' and l.item_id is null then 'operator_action'
      else 'refunded'
    end::supply.order_step,
    case when l.type in ('order_charge', 'order_refund') then 'service' else 'operator ' || l.created_by end,
    case
      when l.type = 'order_charge' then 'charged' when l.type = 'order_refund' then 'refunded'
      when l.item_id is null then 'adjusted by hand'
      else 'refunded by hand'
    end,
    format('%s %s%s; the balance is %s%s',
      case when l.type = 'adjustment' and l.item_id is null then l.amount else abs(l.amount) end, l.currency,
      case
        when l.type = 'order_charge' then ' with payment code ' || placed.payment_code
        when s.label is not null then ' for ' || s.label
        else ''
      end,
      l.balance_after, coalesce('; ' || l.reference, '') || coalesce(': ' || l.note, '')), l.item_id, abs(l.amount)
  from (
    select l.* from supply.ledger l where l.order_id = placed.id
    union all
    select l.* from supply.ledger l where l.adjusted_order_id = placed.id) as l
  left join core.history_items s on s.id = l.item_id and s.order_id = placed.id;

  if placed.completed_at is null then
    return;
  end if;
  return query
  select ended_at, ('order_' || placed.status)::supply.order_step, 'service', 'order ' || placed.status,
    case placed.outcome
      when 'full' then 'everything was delivered' when 'partial' then 'a part was delivered'
        else 'nothing was delivered'
    end || coalesce('; the partner reads: ' || placed.reason, ''), null::uuid, null::numeric;
  return query
  select greatest(ended_at, e.created_at, refunded.at), 'event_created'::supply.order_step, 'service',
    'event created', format('%s, event %s, to %s', e.event_type, e.id, url), null::uuid, null::numeric
  from supply.events e
  cross join (
    select max(l.created_at) as at from supply.ledger l where l.order_id = placed.id
      and l.type = 'order_refund') as refunded
  where e.order_id = placed.id;
  if not found then
    return query
    select greatest(ended_at, max(l.created_at)), 'no_event'::supply.order_step, 'service', 'no event', case
      when placed.callback_url is null then 'the partner gave no callback URL and reads the result from the order'
      else 'a partial result has no event: the partner reads it from the order' end, null::uuid, null::numeric
    from supply.ledger l where l.order_id = placed.id and l.type = 'order_refund';
  end if;
end
$$;
comment on function core.history_of_order is
  'Returns the steps of an order that are about the order, its charge, its refunds and its event. amount: of a charge
or refund, in the order''s currency.';
