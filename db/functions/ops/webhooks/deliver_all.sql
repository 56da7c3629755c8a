-- Roles: support
create or replace function ops.deliver_all(account_id anycompatible)
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant bigint := core.refer_to('account', account_id)::bigint;
  ids uuid[];
begin
  ids := array(
    select e.id from supply.events e
    where e.account_id = wanted_id and e.state in ('waiting', 'queued', 'ready')
    order by e.id for no key update skip locked);
  perform graphile_worker.complete_jobs(array(
    select j.id from core.jobs j where j.key = any (array(select 'deliver_webhook:' || i from unnest(ids) as i))));
  update supply.events e set state = 'queued', next_attempt_at = least(e.next_attempt_at, now()),
    lease_expires_at = null
  where e.id = any (ids);
  perform core.enqueue_deliveries(ids);
  perform core.log_operator('deliver_all', 'account ' || wanted_id, jsonb_build_object('events', cardinality(ids)));
  raise notice 'account %: the next attempts of % events are due now', wanted_id, cardinality(ids);
  return cardinality(ids);
end
$$;
comment on function ops.deliver_all is
  'Makes the next attempt of each waiting event of an account due now, as ops.deliver_now for one, and returns how many
events. Skips events that have ended or are being changed.';
