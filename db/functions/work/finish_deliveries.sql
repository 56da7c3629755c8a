create or replace function work.finish_deliveries(results jsonb, to_send int, pool_id text)
returns supply.recorded
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  locked constant uuid[] := array(
    select e.id from supply.events e
    where e.id = any (array(select (r ->> 'eventId')::uuid from jsonb_array_elements(results) as r))
    order by e.id for no key update skip locked);
  tokens constant uuid[] := array(
    select a.lease_token from supply.delivery_attempts a
    where a.lease_token = any (array(select (r ->> 'leaseToken')::uuid from jsonb_array_elements(results) as r))
    order by a.lease_token for no key update skip locked);
  now_at constant timestamptz := clock_timestamp();
  judged supply.delivery_result[];
  leased uuid[];
begin
  judged := array(
    select row(
      r.ordinal, r."eventId", e.account_id, r."leaseToken", case when v.is_dead then 'dead' else v.verdict end,
      case when v.is_dead then v.verdict end, now_at,
      case v.verdict
        when 'retry' then now_at + coalesce(make_interval(secs => said."retryAfter"), core.rung_delay(e.attempts))
        when 'unsent' then now_at + case said.kind when 'unsent' then interval '5 minutes' else interval '0' end
      end,
      said.status, coalesce(said."errorKind", said.reason::supply.delivery_error_kind), said.error,
      case when v.verdict = 'retry' then said."retryAfter" end,
      case
        when said.kind in ('unreachable', 'unresolved') then -1
        when said.kind = 'answered' and now_at <= (
          select a.started_at from supply.delivery_attempts a where a.lease_token = r."leaseToken") + interval '2 s'
          then 1
        else 0
      end)::supply.delivery_result
    from jsonb_to_recordset(results) as r (ordinal int, "eventId" uuid, "leaseToken" uuid, result jsonb)
    cross join lateral jsonb_to_record(r.result)
      as said (
        kind text, reason text, status int, "errorKind" supply.delivery_error_kind, error text, "retryAfter" int)
    left join lateral (select e.* from supply.events e where e.id = r."eventId" offset 0) as e on true
    cross join lateral (
      select c.verdict, c.verdict not in ('busy', 'stale', 'delivered', 'retry', 'unsent') as is_dead
      from (select case
        when e.state is not null and r."eventId" <> all (locked) then 'busy'
        when r."leaseToken" <> all (tokens)
          and exists (select from supply.delivery_attempts a where a.lease_token = r."leaseToken") then 'busy'
        -- guard: an outdated fencing token of a delivery changes nothing
        when e.state is distinct from 'sending' or e.lease_token is distinct from r."leaseToken" then 'stale'
        when said.kind = 'refused' then said.reason
        when said.kind in ('unsent', 'late') then 'unsent'
        -- A sample ends here, as at a blocked address: the partner must not see which of the two it was.
        when said.kind = 'unresolved' and e.simulated then 'unresolved'
        when said.status between 200 and 299 then 'delivered'
        when said.status between 400 and 499 and said.status not in (408, 429) then 'http_4xx'
        when said.status between 300 and 399 then 'http_3xx'
        when core.rung_delay(e.attempts) is null then 'attempts_exhausted'
        else 'retry'
      end as verdict) as c offset 0
    ) as v);
  leased := core.end_attempts(
    array(select r from unnest(judged) as r where r.verdict not in ('stale', 'busy')), to_send, pool_id);

  -- A crash that loses this record repeats the delivery under its id, which partners expect. Nothing else may be lost.
  if cardinality(leased) = 0
    and not exists (select from unnest(judged) as r where r.verdict not in ('delivered', 'stale', 'busy')) then
    perform set_config('synchronous_commit', 'off', true);
  end if;

  return row(
    array(
      select row(r.ordinal, case
        when r.dead_reason is null then r.verdict
        when (select e.simulated from supply.events e where e.id = r.event_id) then 'refused_sample'
        else r.dead_reason end)::supply.answer
      from unnest(judged) as r),
    array(
      select row('notified', extract(epoch from r.ended_at - placed.created_at))::supply.ended_order
      from unnest(judged) as r
      cross join lateral (
        select o.created_at from supply.events e join supply.orders o on o.id = e.order_id
        where e.id = r.event_id offset 0
      ) as placed
      where r.verdict = 'delivered'),
    core.leased_attempts(leased))::supply.recorded;
end
$$;
comment on function work.finish_deliveries is
  'Records attempts: [{ordinal, eventId, leaseToken, result: SendOutcome}]. Verdicts: delivered, retry, why it is dead,
refused_sample, unsent: not counted, again in 5 minutes, a late one at once, stale: its lease ended, busy: try again.
Leases at most to_send first attempts, which pool_id makes.';
