-- Roles: support
create or replace function ops.send_test_event(account_id anycompatible, url text)
returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant bigint := core.refer_to('account', account_id)::bigint;
  host text;
  sent record;
begin
  host := core.callback_host('url', url);
  select s.* into sent from core.send_sample(
    account_id => wanted_id, callback_url => send_test_event.url, event_type => 'order.completed',
      order_code => null) s;
  perform core.require(sent.refusal is null,
    case sent.refusal when 'too_many_open'
      then format('account %s has 100 samples that are neither delivered nor given up', wanted_id)
      else format('account %s had 60 samples within a minute', wanted_id) end, 'object_not_in_prerequisite_state',
    format('Try again in %s seconds; ops.events where simulated shows them.', sent.retry_after));
  perform core.log_operator('send_test_event', 'event ' || sent.event_id, jsonb_build_object(
    'account_id', wanted_id, 'host', host));
  raise notice 'its state: select state, attempts, dead_reason from ops.events where event_id = ''%''', sent.event_id;
  return sent.event_id;
end
$$;
comment on function ops.send_test_event is
  'Sends a sample order.completed, signed with the account''s secret, to a receiver as real events are sent; returns
its event id. Its first delivery creates the secret (ops.webhook_secret). ops.delivery_attempts shows the result. It
touches no balance and no supplier, and counts to the partner''s limits of samples. Specification 2.5, 6.2.';
