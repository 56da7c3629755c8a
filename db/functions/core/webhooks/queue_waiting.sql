create or replace function core.queue_waiting(event_ids uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  ids constant uuid[] := array(
    select e.id from supply.events e
    where e.id = any (event_ids) and e.state in ('waiting', 'queued', 'ready')
    order by e.id for no key update skip locked);
begin
  perform core.remove_jobs('deliver_webhook', ids);
  update supply.events e set state = 'queued', next_attempt_at = least(e.next_attempt_at, now()),
    lease_expires_at = null
  where e.id = any (ids);
  perform core.enqueue_deliveries(ids);
end
$$;
comment on function core.queue_waiting is
  'Makes the next attempts of these of the events due now that wait for one. Leaves out what another transaction has
locked.';
