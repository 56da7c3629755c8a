create or replace function core.delivery_room(event_ids uuid[], account_cap int)
returns jsonb
language plpgsql set search_path = ''
as $$
declare
  accounts bigint[] := array(select distinct e.account_id from supply.events e where e.id = any (event_ids) order by 1);
  account bigint;
  room jsonb := '{}';
  under_way int;
  waiting int;
begin
  foreach account in array accounts loop
    -- Two workers that count at the same time would both find the last place free.
    perform pg_advisory_xact_lock(hashtextextended('deliveries of account ' || account, 0));
  end loop;
  foreach account in array accounts loop
    select count(*) into under_way from supply.events e
    where e.account_id = account and e.state = 'sending' and e.claim_expires_at > now();
    select count(*) into waiting from supply.events e
    where e.account_id = account and e.state = 'waiting' and e.next_attempt_at <= now();
    room := room || jsonb_build_object(account, jsonb_build_object(
      'free', account_cap - under_way, 'delay', greatest(0.5, waiting * 0.05)));
  end loop;
  return room;
end
$$;
comment on function core.delivery_room is
  'For each account of the events: free, how many more deliveries may be under way, and delay, in how many seconds to look again at one that '
  'finds no room, in proportion to how many wait. Locks each account''s deliveries until the transaction ends.';
revoke all on function core.delivery_room from public;
