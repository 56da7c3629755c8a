create or replace function core.enqueue_deliveries(event_ids uuid[])
returns void
language plpgsql set search_path = ''
as $$
declare
  at_once constant int := 16;
  account record;
  ahead int;
  due uuid[] := '{}';
  surplus uuid[] := '{}';
  surplus_times timestamptz[] := '{}';
begin
  for account in
    select e.account_id as id, array_agg(e.id order by e.id) as events
    from supply.events e where e.id = any (event_ids) group by e.account_id order by e.account_id
  loop
    select greatest(0, count(*) - cardinality(account.events)) into ahead from (
      select from supply.events e
      where e.account_id = account.id and e.state = 'waiting' and e.next_attempt_at <= now()
      limit at_once + cardinality(account.events)) as counted;
    due := due || account.events[1 : at_once - ahead];
    for place in greatest(1, at_once - ahead + 1) .. cardinality(account.events) loop
      surplus := surplus || account.events[place];
      surplus_times := surplus_times || now() + core.surplus_delay(account.id, place);
    end loop;
  end loop;
  perform core.enqueue('deliver_webhook', due, array_fill(now(), array[cardinality(due)]), true);
  perform core.enqueue('deliver_webhook', surplus, surplus_times, true, priority => 1);
end
$$;
comment on function core.enqueue_deliveries is
  'Enqueues the deliveries of events that became due now. Of an account that has more than 16 due, the surplus stands in line, behind those of '
  'all others, until core.next_in_line calls it: one partner''s ten thousand events do not stand before another''s one.';
revoke all on function core.enqueue_deliveries from public;
