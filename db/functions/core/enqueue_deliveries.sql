create or replace function core.enqueue_deliveries(event_ids uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  account record;
  due_before int;
  free int;
  due uuid[] := '{}';
  surplus uuid[] := '{}';
begin
  for account in
    select e.account_id as id, array_agg(e.id order by e.id) as events
    from supply.events e where e.id = any (event_ids) group by e.account_id order by e.account_id
  loop
    select count(*) - cardinality(account.events) into due_before from (
      select from supply.events e
      where e.account_id = account.id and e.state = 'waiting' and e.next_attempt_at <= now()
      limit core.delivery_cap() + cardinality(account.events)) as counted;
    free := greatest(0, core.delivery_cap() - core.deliveries_under_way(account.id) - due_before);
    due := due || account.events[1 : free];
    surplus := surplus || account.events[free + 1 : ];
  end loop;
  perform core.enqueue('deliver_webhook', due, key => 'deliver_webhook');
  perform core.stand_in_line(surplus);
end
$$;
comment on function core.enqueue_deliveries is
  'Enqueues the deliveries of events that became due now. Those for which their account has no room stand in line: one partner''s ten thousand '
  'events do not stand before another''s one.';
revoke all on function core.enqueue_deliveries from public;
