create or replace view core.attention_to_deliveries as
select k.since, k.what, 'event ' || k.id as subject, k.detail, k.remedy, k.order_code, k.account_id,
  'account ' || k.account_id as all_subject, k.all_detail, k.all_remedy, k.cause
from (
  select e.id, e.account_id, e.order_code, e.dead_at as since, 'dead letter' as what,
    format('the partner did not receive %s of order %s: %s at %s; ops.redeliver(%L) sends it again', e.event_type,
      e.order_code, e.dead_reason,
      split_part(e.callback_url, '?', 1) || case when e.callback_url like '%?%' then '?…' else '' end, e.id) as detail,
    format('select * from ops.delivery_attempts where event_id = %L', e.id) as remedy,
    'the partner did not receive the results of %s orders: %s; the remedy counts them' as all_detail,
    format('select ops.redeliver_all(%s, %%L)', e.account_id) as all_remedy, e.dead_reason as cause
  from core.dead_letters e
  union all
  select e.id, e.account_id, e.order_code, coalesce(e.lease_expires_at, e.next_attempt_at), 'delivery late',
    format('the attempt for order %s is overdue: is a worker running, or is the receiver slow?', e.order_code),
    format('select * from ops.delivery_attempts where event_id = %L', e.id),
    '%s attempts are overdue: is a worker running, or is the receiver slow?',
    format('select * from ops.events where account_id = %s and state in (''waiting'', ''queued'')', e.account_id), null
  from (
    -- Each state has its index. A million events may wait for a partner whose receiver was down for a day.
    (
      select e.* from supply.events e
      where e.state = 'waiting' and e.next_attempt_at < now() - interval '10 minutes'
      order by e.next_attempt_at limit 2000
    )
    union all
    select e.* from supply.events e where e.state = 'queued' and e.next_attempt_at < now() - interval '10 minutes'
    union all
    select e.* from supply.events e where e.state = 'ready' and e.lease_expires_at < now() - interval '10 minutes'
  ) as e
  union all
  select e.id, e.account_id, e.order_code, e.lease_expires_at, 'delivery late',
    format('the lease of an attempt for order %s expired, and no worker handled it: is a worker running?',
      e.order_code),
    'select * from ops.worker_pools',
    'the leases of %s attempts expired, and no worker handled them: is a worker running?',
    'select * from ops.worker_pools', null
  from supply.events e where e.state = 'sending' and e.lease_expires_at < now() - interval '10 minutes'
  union all
  (
    select e.id, e.account_id, e.order_code, e.created_at, 'result not delivered',
      format('the receiver has not accepted the result of order %s for an hour; the next attempt is planned, and '
        'ops.deliver_now(%L) makes it at once', e.order_code, e.id),
      format('select * from ops.delivery_attempts where event_id = %L', e.id),
      'the receiver has not accepted %s results for an hour or longer; the next attempts are planned, and '
        'ops.deliver_all(account) makes them at once',
      format('select * from ops.events where account_id = %s and state in (''waiting'', ''queued'')', e.account_id),
      null
    from supply.events e
    where e.state = 'waiting' and e.next_attempt_at >= now() - interval '10 minutes'
      and e.created_at < now() - interval '1 hour' and not e.simulated
    order by e.next_attempt_at limit 2000
  )
) as k;
comment on view core.attention_to_deliveries is
  'The rows of ops.attention about results that partners did not receive.';
