create or replace function core.history_of_plans(order_id bigint)
returns table (at timestamptz, step supply.order_step, actor text, what text, detail text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select greatest(now(), p.due_at), 'planned'::supply.order_step, 'service',
    case when p.due_at > now() then 'planned' else 'now' end,
    case
      when p.state = 'held' then format('%s is held: ops.settle_item(%L, …) settles it, ops.poll_now(%L) asks %s '
        'again', p.label, p.id, p.id, p.supplier)
      when p.state = 'leased' then format('without a result, %s is asked again about %s', p.supplier,
        p.label)
      when p.next_call = 'put' and p.is_waiting
        then format('%s waits for %s, which is paused%s', p.label, p.supplier,
          case when p.sent_at is null then ', or for another supplier that can deliver' end)
      when p.state = 'limited' then format('%s waits for a place at %s', p.label, p.supplier)
      when p.next_call = 'put' then format('%s is sent to %s', p.label, p.supplier)
      else format('%s is asked again about %s', p.supplier, p.label)
    end
    || case when p.stuck_at is not null and p.held_at is null
      then format('; it is stuck: ops.settle_item(%L, …) settles it by hand', p.id) else '' end
    || case when p.state <> 'limited' and p.due_at < now() - interval '1 minute'
      then format('; it was due at %s: is a worker running?', date_trunc('second', p.due_at)) else '' end
  from (
    select s.*, coalesce(s.lease_expires_at, s.next_check_at) as due_at,
      exists (
        select from supply.suppliers su where su.code = s.supplier and su.paused_at is not null) as is_waiting
    from core.history_items s where s.order_id = history_of_plans.order_id and s.completed_at is null
  ) as p
  union all
  select greatest(now(), p.due_at), 'planned'::supply.order_step, 'service',
    case when p.due_at > now() then 'planned' else 'now' end,
    case p.state
      when 'dead' then format('the partner did not receive the result: ops.redeliver(%L) starts a new round', p.id)
      when 'sending' then 'without a result, the attempt counts as lost'
      when 'queued' then format('attempt %s waits for one of the account''s delivery slots', p.attempts + 1)
      else format('attempt %s of 9', p.attempts + 1)
    end
    || case when p.state in ('waiting', 'queued', 'ready') and p.due_at < now() - interval '1 minute'
      then format('; it was due at %s', date_trunc('second', p.due_at)) else '' end
  from (
    select e.id, e.state, e.attempts,
      case e.state when 'sending' then e.lease_expires_at else e.next_attempt_at end as due_at
    from supply.events e where e.order_id = history_of_plans.order_id and e.state <> 'delivered'
  ) as p
$$;
comment on function core.history_of_plans is
  'Returns the last steps of an order: the next planned steps, and what waits for an operator.';
