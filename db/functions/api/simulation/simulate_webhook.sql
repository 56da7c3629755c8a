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
  'Sends a sample event to a checked callback URL. order_code: of an own order with that status, whose event is sent
under a new id; else the event holds sample data. Returns the event''s id, or a refusal: too_many_a_minute or
too_many_open, with the seconds to wait, or too_large (over 65,536 bytes). Raises no alert.
nullable: event_id, refusal, retry_after';
