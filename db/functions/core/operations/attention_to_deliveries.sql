create or replace view core.attention_to_deliveries as
with found as (
  select e.id, e.account_id, e.order_code, e.event_type, e.callback_url, e.created_at, e.dead_at as since,
    e.dead_reason,
    'dead' as how
  from supply.events e where e.state = 'dead' and not e.simulated
  union all
  -- Each state has its index. A partner that was away for a day leaves a million on their rungs.
  (
    select e.id, e.account_id, e.order_code, null, null, e.created_at, e.next_attempt_at, null, 'late'
    from supply.events e
    where e.state = 'waiting' and e.next_attempt_at < now() - interval '10 minutes'
    order by e.next_attempt_at limit 2000
  )
  union all
  select e.id, e.account_id, e.order_code, null, null, e.created_at, e.next_attempt_at, null, 'late'
  from supply.events e where e.state = 'queued' and e.next_attempt_at < now() - interval '10 minutes'
  union all
  select e.id, e.account_id, e.order_code, null, null, e.created_at, e.lease_expires_at, null,
    case e.state when 'ready' then 'late' else 'lost' end
  from supply.events e
  where e.state in ('ready', 'sending') and e.lease_expires_at < now() - interval '10 minutes'
  union all
  (
    select e.id, e.account_id, e.order_code, null, null, e.created_at, e.created_at, null, 'untold'
    from supply.events e
    where e.state = 'waiting' and e.next_attempt_at >= now() - interval '10 minutes'
      and e.created_at < now() - interval '1 hour' and not e.simulated
    order by e.next_attempt_at limit 2000
  )
), groups as (
  select f.how, f.account_id, min(f.since) as since, min(f.created_at) as first_at, max(f.created_at) as last_at,
    string_agg(distinct f.dead_reason, ', ') as reasons, count(*) as events,
    count(*) > 1 and (count(*) > 10 or sum(count(*)) over (partition by f.how) > 100) as is_one_line,
    case f.how when 'dead' then 'dead letter' when 'untold' then 'result not told' else 'delivery late' end as what
  from found f group by f.how, f.account_id
)
select f.since, g.what, 'event ' || f.id as subject,
  case f.how
    when 'dead' then format('the partner did not receive %s of order %s: %s at %s', f.event_type, f.order_code,
      f.dead_reason, regexp_replace(f.callback_url, '[?].*$', '?…'))
    when 'untold' then format('the receiver of account %s has not accepted the result of order %s for an hour; the '
      'next attempt is planned', f.account_id, f.order_code)
    when 'lost' then format('the lease of an attempt for order %s expired, and no worker handled it: is a worker '
      'running?', f.order_code)
    else format('the attempt for order %s is overdue: is a worker running, or is the receiver slow?', f.order_code)
  end as detail,
  case f.how
    when 'dead' then format('select ops.redeliver(%L)', f.id)
    when 'lost' then 'select * from ops.worker_pools'
    else format('select ops.deliver_now(%L)', f.id)
  end as remedy,
  f.order_code, f.account_id
from found f join groups g on g.how = f.how and g.account_id = f.account_id
where not g.is_one_line
union all
select g.since, g.what, 'account ' || g.account_id,
  case g.how
    when 'dead' then format('the partner did not receive the results of %s orders: %s', g.events, g.reasons)
    when 'untold' then format('the receiver has not accepted %s results for an hour or longer; the next attempts are '
      'planned', g.events)
    when 'lost' then format('the leases of %s attempts expired, and no worker handled them: is a worker running?',
      g.events)
    else format('%s attempts are overdue: is a worker running, or is the receiver slow?', g.events)
  end,
  case g.how
    when 'dead' then format('select ops.redeliver_all(%s, %L, dry_run => false)', g.account_id, g.since)
    when 'lost' then 'select * from ops.worker_pools'
    else format('select ops.deliver_now(event_id) from ops.events where account_id = %s and state = ''waiting'' and '
      'created_at between %L and %L', g.account_id, g.first_at, g.last_at)
  end,
  null, g.account_id
from groups g where g.is_one_line;
comment on view core.attention_to_deliveries is
  'The lines of ops.attention about results that partners did not receive: dead letters, late deliveries, and results
that a receiver has refused for an hour. It reads the 2,000 waiting events that are due first.';
