create or replace view core.attention_to_deliveries as
with dead as (
  select e.id, e.account_id, e.order_code, e.event_type, e.callback_url, e.dead_at, e.dead_reason,
    count(*) over (partition by e.account_id) as alike,
    count(*) over () as in_all
  from supply.events e where e.state = 'dead' and not e.simulated
), open as (
  -- Each state has its index. A partner that was away for a day leaves a million on their rungs.
  (
    select e.id, e.account_id, e.order_code, e.created_at, e.next_attempt_at as since, 'late' as how
      from supply.events e
    where e.state = 'waiting' and e.next_attempt_at < now() - interval '10 minutes'
    order by e.next_attempt_at limit 2000
  )
  union all
  select e.id, e.account_id, e.order_code, e.created_at, e.next_attempt_at, 'late' from supply.events e
  where e.state = 'queued' and e.next_attempt_at < now() - interval '10 minutes'
  union all
  select e.id, e.account_id, e.order_code, e.created_at, e.lease_expires_at, case e.state when 'ready' then 'late'
    else 'lost' end from supply.events e
  where e.state in ('ready', 'sending') and e.lease_expires_at < now() - interval '10 minutes'
  union all
  (
    select e.id, e.account_id, e.order_code, e.created_at, e.created_at, 'untold' from supply.events e
    where e.state = 'waiting' and e.next_attempt_at >= now() - interval '10 minutes'
      and e.created_at < now() - interval '1 hour' and not e.simulated
    order by e.next_attempt_at limit 2000
  )
), counted as (
  select o.*, count(*) over (partition by o.account_id, o.how) as alike, count(*) over (partition by o.how) as in_all
    from open o
)
select d.dead_at as since, 'dead letter' as what, 'event ' || d.id as subject,
  format('the partner was not told that order %s ended (%s): %s at %s', d.order_code, d.event_type, d.dead_reason,
    regexp_replace(d.callback_url, '[?].*$', '?…'))
    as detail,
  format('select ops.redeliver(%L)', d.id) as remedy, d.order_code, d.account_id
from dead d where d.alike = 1 or d.alike <= 10 and d.in_all <= 100
union all
select min(d.dead_at), 'dead letter', 'account ' || d.account_id,
  format('the partner was not told how %s orders ended: %s', count(*), string_agg(distinct d.dead_reason, ', ')),
  format('select ops.redeliver_all(%s, %L, dry_run => false)', d.account_id, min(d.dead_at)), null, d.account_id
from dead d where d.alike > 10 or d.alike > 1 and d.in_all > 100 group by d.account_id
union all
select c.since, case c.how when 'untold' then 'result not told' else 'delivery late' end, 'event ' || c.id,
  case c.how
    when 'untold' then format('the receiver of account %s has not taken the result of order %s for an hour; the next '
      'attempt is planned', c.account_id, c.order_code)
    when 'lost' then format('the lease of an attempt for order %s ended, and no worker has looked at it: does one '
      'run?', c.order_code)
    else format('the attempt for order %s was due, and none was made: is a worker running, or the receiver slow?',
      c.order_code)
  end,
  case when c.how = 'lost' then 'select * from ops.worker_pools' else format('select ops.deliver_now(%L)', c.id) end,
    c.order_code, c.account_id
from counted c where c.alike = 1 or c.alike <= 10 and c.in_all <= 100
union all
select min(c.since), case c.how when 'untold' then 'result not told' else 'delivery late' end, 'account '
  || c.account_id,
  case c.how
    when 'untold' then format('the receiver has not taken %s results for an hour or longer; the next attempts are '
      'planned', count(*))
    when 'lost' then format('the leases of %s attempts ended, and no worker has looked at them: does one run?',
      count(*))
    else format('%s attempts were due, and none was made: is a worker running, or the receiver slow?', count(*))
  end,
  case when c.how = 'lost' then 'select * from ops.worker_pools' else
    format('select ops.deliver_now(event_id) from ops.events where account_id = %s and state = ''waiting'' and '
      'created_at between %L and %L',
      c.account_id, min(c.created_at), max(c.created_at)) end,
  null, c.account_id
from counted c where c.alike > 10 or c.alike > 1 and c.in_all > 100 group by c.account_id, c.how;
comment on view core.attention_to_deliveries is
  'The results that partners were not told and that want a human (ops.attention): dead letters, deliveries that are
late, and those not taken for an hour; of those on rungs, the 2,000 that are due first are looked at.';
