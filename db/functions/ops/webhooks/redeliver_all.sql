-- Roles: support
create or replace function ops.redeliver_all(
  account_id anycompatible, since timestamptz, dry_run boolean default true, callback_url text default null
)
returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  -- Without a lock of the account: its orders go on while tens of thousands of events are begun again.
  wanted_id constant bigint := core.refer_to('account', account_id)::bigint;
  dead uuid[];
  started bigint;
begin
  perform core.require(since is not null, 'since must be given',
    hint => 'Such as since => now() - interval ''2 days''.');
  perform core.require(dry_run is not null, 'dry_run must be true or false');
  if callback_url is not null then
    perform core.require_partner_host(array[wanted_id], callback_url);
  end if;
  dead := array(
    select e.id from supply.events e
    where e.account_id = wanted_id and e.state = 'dead' and e.dead_at >= since and not e.simulated);
  if dry_run then
    raise notice 'dry run: % events%; to send them add dry_run => false', cardinality(dead),
      coalesce(' would go to ' || callback_url, '');
    return cardinality(dead);
  end if;
  started := core.start_rounds(dead, callback_url => callback_url);
  perform core.log_operator('redeliver_all', 'account ' || wanted_id, jsonb_strip_nulls(jsonb_build_object(
    'since', since, 'events', started, 'host', core.url_host(callback_url))));
  raise notice 'account %: % dead letters begin a new round now%', wanted_id, started,
    coalesce('; they go to ' || callback_url || ' from now on', '');
  return started;
end
$$;
comment on function ops.redeliver_all is
  'Starts a new round over the retry ladder for every dead letter of an account that died at or after since, and
returns how many. A dry run (the default) only counts. callback_url: a new address, whose host the partner used within
90 days. Partners'' sample events are not included. Specification 6.6.';
