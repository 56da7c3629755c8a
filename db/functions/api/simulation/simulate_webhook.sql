create or replace function api.simulate_webhook(
  account_id bigint, callback_url text, event_type text, order_code text default null
)
returns table (event_id uuid, refusal text, retry_after int)
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  select s.event_id, s.refusal, s.retry_after from core.send_sample(
    account_id => simulate_webhook.account_id, callback_url => simulate_webhook.callback_url,
    event_type => simulate_webhook.event_type, order_code => simulate_webhook.order_code) s
$$;
comment on function api.simulate_webhook is
  'Sends a sample event to a checked callback URL as real events are sent. Returns its event id, or why not: too_many_a_minute or '
  'too_many_open, with the seconds after which to ask again, or too_large (a body of more than 65,536 bytes). '
  'With the code of an own order of that status it is that order''s event, under a new id; with any other code, or none, it '
  'holds sample data. Touches no balance and no supplier, and raises no alert.
nullable: event_id, refusal, retry_after';
