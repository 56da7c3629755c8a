create or replace function core.history_of_operators(order_id bigint)
returns table (at timestamptz, step supply.order_step, actor text, what text, detail text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select l.at, 'operator_action'::supply.order_step, 'operator ' || l.who,
    case l.action
      when 'settle_item' then 'settled by hand' when 'poll_now' then 'asks again' when 'deliver_now'
        then 'sends at once'
      else replace(l.action, '_', ' ')
    end,
    case l.action
      when 'settle_item' then format('%s as %s, %s of %s delivered%s', s.label, l.detail ->> 'outcome',
        l.detail ->> 'delivered', l.detail ->> 'amount', ': ' || (l.detail ->> 'reason'))
      when 'poll_now' then format('%s is asked about %s at once', l.detail ->> 'supplier', s.label)
      when 'deliver_now' then 'the next attempt is due now'
      else s.label || coalesce((
        select ': ' || string_agg(d.key || ' ' || d.value, ', ' order by d.key) from jsonb_each_text(l.detail) d
          where d.value is not null), '')
    end
  from (
    select 'item ' || i.id as subject, i.label from core.history_items i
    where i.order_id = history_of_operators.order_id
    union all
    select 'event ' || e.id, 'the event' from supply.events e where e.order_id = history_of_operators.order_id
  ) as s
  join supply.operator_log l on l.subject = s.subject
  -- The ledger shows refunds by hand in the story, and the requests of redeliveries show those.
  where l.action not in ('refund_item', 'redeliver')
$$;
comment on function core.history_of_operators is
  'Returns the steps of an order that are operators'' actions on its items and its event, except refunds and
redeliveries.';
