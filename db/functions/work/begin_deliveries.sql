create or replace function work.begin_deliveries(event_ids uuid[], account_cap int default null)
returns table (
  ordinal int, event_id uuid, claim_id uuid, callback_url text, event_type text, body text, secret text, attempt int
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  event supply.events;
  due_at timestamptz;
  lost record;
  room jsonb := core.delivery_room(event_ids);
  free int;
  later_ids uuid[] := '{}';
  later_times timestamptz[] := '{}';
  surplus uuid[] := '{}';
  crowded bigint[] := '{}';
  freed bigint[] := '{}';
  causes text[] := '{}';
  messages text[] := '{}';
begin
  for event in
    select e.* from supply.events e where e.id = any (event_ids) order by e.id for no key update
  loop
    continue when event.state in ('delivered', 'dead');
    -- Whoever comes too early, by a clock that was set back or a job that had a successor, must not be the last to come.
    due_at := greatest(event.claim_expires_at, event.next_attempt_at);
    if due_at > now() then
      later_ids := later_ids || event.id;
      later_times := later_times || due_at;
      continue;
    end if;
    if event.state = 'sending' then
      select a.* into lost from core.end_attempt(event, 'lost', event.claim_expires_at) a;
      freed := freed || event.account_id;
      if lost.alert_cause is not null then
        causes := causes || lost.alert_cause;
        messages := messages || lost.alert_message;
      elsif lost.next_attempt_at > now() then
        later_ids := later_ids || event.id;
        later_times := later_times || lost.next_attempt_at;
      end if;
      continue when lost.next_attempt_at is null or lost.next_attempt_at > now();
    end if;

    free := (room ->> event.account_id::text)::int;
    if free <= 0 then
      surplus := surplus || event.id;
      crowded := crowded || event.account_id;
      continue;
    end if;
    room := room || jsonb_build_object(event.account_id, free - 1);

    select c.claim_id, c.attempt into claim_id, attempt from core.claim_attempt(event.id) c;
    ordinal := array_position(event_ids, event.id);
    event_id := event.id; callback_url := event.callback_url; event_type := event.event_type; body := event.body;
    secret := core.webhook_secret(event.account_id);
    return next;
  end loop;

  perform core.deliver_later(later_ids, later_times);
  perform core.stand_in_line(surplus);
  perform core.stand_back(crowded);
  perform core.call_line(freed);
  perform core.raise_alerts(causes, messages);
end
$$;
comment on function work.begin_deliveries is
  'Claims the attempts that are due now for these events, counting each before its send, and gives what to send; ordinal is the event''s place in '
  'event_ids. Events for which their account has no room stand in line, which costs no attempt. '
  'account_cap is ignored: workers of the release before still name it. A claim holds for 30 s; one that ran out counts as an attempt '
  'with unknown outcome. The account''s secret is made here at its first delivery. '
  'Specification 2.5 and 6.5.';
revoke all on function work.begin_deliveries from public;
grant execute on function work.begin_deliveries to supply_worker;
