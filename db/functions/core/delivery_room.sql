create or replace function core.delivery_room(event_ids uuid[], account_cap int)
returns jsonb
language plpgsql set search_path = ''
as $$
declare
  accounts bigint[] := array(select distinct e.account_id from supply.events e where e.id = any (event_ids) order by 1);
  account bigint;
  room jsonb := '{}';
  under_way int;
begin
  foreach account in array accounts loop
    -- Two workers that count at the same time would both find the last place free.
    perform pg_advisory_xact_lock(hashtextextended('deliveries of account ' || account, 0));
  end loop;
  foreach account in array accounts loop
    select count(*) into under_way from supply.events e
    where e.account_id = account and e.state = 'sending' and e.claim_expires_at > now();
    room := room || jsonb_build_object(account, account_cap - under_way);
  end loop;
  return room;
end
$$;
comment on function core.delivery_room is
  'For each account of the events, how many more deliveries may be under way. Locks each account''s deliveries until the transaction ends.';
revoke all on function core.delivery_room from public;
