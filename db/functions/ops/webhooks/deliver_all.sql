-- Roles: support
create or replace function ops.deliver_all(account_id anycompatible)
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant bigint := core.refer_to('account', account_id)::bigint;
  waiting record;
begin
  with waiting as materialized (
    select e.id, e.round, e.attempts, e.host,
      row_number() over (
        partition by e.host
        order by e.state = 'ready' desc, e.attempts, e.next_attempt_at, e.id) as place
    from supply.events e
    where e.account_id = wanted_id and e.state in ('waiting', 'queued', 'ready')
  ), begun as (
    insert into supply.delivery_trials (account_id, host, event_id, round, attempts)
    select wanted_id, w.host, w.id, w.round, w.attempts from waiting w where w.place = 1
    on conflict on constraint delivery_trials_pkey do update
    set (event_id, round, attempts, released_to) = (excluded.event_id, excluded.round, excluded.attempts, null)
  )
  select count(*)::int as events, count(*) filter (where w.attempts = 8) as last,
    coalesce(array_agg(w.id) filter (where w.place = 1), '{}') as first_ids,
    string_agg(w.host, ', ' order by w.host) filter (where w.place = 1) as hosts
  into waiting from waiting w;
  perform core.queue_waiting(waiting.first_ids);
  perform core.log_operator('deliver_all', 'account ' || wanted_id, jsonb_build_object(
    'events', waiting.events, 'due_now', cardinality(waiting.first_ids)));
  raise notice '%', concat(
    format('account %s: of %s waiting events, %s %s due now', wanted_id, waiting.events,
      cardinality(waiting.first_ids), case cardinality(waiting.first_ids) when 1 then 'is' else 'are' end),
    ', one for each host: ' || waiting.hosts,
    case when waiting.events > cardinality(waiting.first_ids)
      then '; the others of a host follow once it accepts that one' end,
    case when waiting.events > 0 then '. Each attempt is one of the nine of its event' end,
    case when waiting.last > 0
      then format('; for %s of them it is the last, and a failure makes a dead letter', waiting.last) end);
  return waiting.events;
end
$$;
comment on function ops.deliver_all is
  'Makes the next attempts of an account''s waiting events due: at once for one event of each host, for the others when
their host has accepted that one (2xx). Returns how many wait. Each attempt counts as one of the nine.';
