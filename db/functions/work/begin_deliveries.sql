create or replace function work.begin_deliveries(event_ids uuid[], account_cap int)
returns table (
  ordinal int, event_id uuid, claim_id uuid, callback_url text, event_type text, body text, secret text, attempt int
)
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  event supply.events;
  lost record;
  room jsonb := '{}';
  later_ids uuid[] := '{}';
  later_times timestamptz[] := '{}';
  causes text[] := '{}';
  messages text[] := '{}';
begin
  room := core.delivery_room(event_ids, account_cap);

  for event in
    select e.* from supply.events e where e.id = any (event_ids) order by e.id for no key update
  loop
    continue when event.state in ('delivered', 'dead');
    if event.state = 'sending' and event.claim_expires_at > now() then
      later_ids := later_ids || event.id;
      later_times := later_times || event.claim_expires_at;
      continue;
    end if;
    if event.state = 'sending' then
      select a.* into lost from core.end_attempt(event, 'lost', event.claim_expires_at) a;
      if lost.next_attempt_at is null or lost.next_attempt_at > now() then
        if lost.next_attempt_at is not null then
          later_ids := later_ids || event.id;
          later_times := later_times || lost.next_attempt_at;
        elsif lost.alert_cause is not null then
          causes := causes || lost.alert_cause;
          messages := messages || lost.alert_message;
        end if;
        continue;
      end if;
    elsif event.next_attempt_at > now() then
      continue;
    end if;
    if (room #>> array[event.account_id::text, 'free'])::int <= 0 then
      later_ids := later_ids || event.id;
      later_times := later_times || now()
        + (room #>> array[event.account_id::text, 'delay'])::double precision * (0.5 + random()) * interval '1 s';
      continue;
    end if;
    room := jsonb_set(room, array[event.account_id::text, 'free'],
      to_jsonb((room #>> array[event.account_id::text, 'free'])::int - 1));

    claim_id := gen_random_uuid();
    update supply.events e set
      state = 'sending', attempts = e.attempts + 1, claim_id = begin_deliveries.claim_id,
      claim_expires_at = now() + interval '30 s', next_attempt_at = null
    where e.id = event.id
    returning e.attempts into attempt;
    insert into supply.delivery_attempts (event_id, ladder, attempt, claim_id)
    values (event.id, event.ladder, begin_deliveries.attempt, begin_deliveries.claim_id);

    ordinal := array_position(event_ids, event.id);
    event_id := event.id; callback_url := event.callback_url; event_type := event.event_type; body := event.body;
    secret := core.webhook_secret(event.account_id);
    return next;
  end loop;

  perform core.enqueue('deliver_webhook', later_ids, later_times, true);
  perform core.raise_alerts(causes, messages);
end
$$;
comment on function work.begin_deliveries is
  'Claims the attempts that are due now for these events, counting each before its send, and gives what to send; ordinal is the event''s place in '
  'event_ids. At most account_cap attempts of an account are under way at once; events over that are put back and cost no attempt. '
  'A claim holds for 30 s; one that ran out counts as an attempt with unknown outcome. The account''s secret is made here at its first delivery. '
  'Specification 2.5 and 6.5.';
revoke all on function work.begin_deliveries from public;
grant execute on function work.begin_deliveries to supply_worker;
