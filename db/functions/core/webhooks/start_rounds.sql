create or replace function core.start_rounds(
  event_ids uuid[], states text[] default '{dead}', key_id bigint default null, callback_url text default null
)
returns bigint
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  started uuid[];
begin
  perform 1 from supply.events e where e.id = any (event_ids) order by e.id for no key update;
  with moved as (
    update supply.events e set
      state = 'queued', round = e.round + 1, attempts = 0, next_attempt_at = now(), delivered_at = null, dead_at = null,
      dead_reason = null, callback_url = coalesce(start_rounds.callback_url, e.callback_url)
    where e.id = any (event_ids) and e.state = any (states)
    returning e.id, e.round, e.simulated
  ), requested as (
    insert into supply.redelivery_requests (event_id, round, key_id, host)
    select m.id, m.round, start_rounds.key_id,
      case when start_rounds.key_id is not null then core.url_host(start_rounds.callback_url) end
    from moved m where not m.simulated
  )
  select coalesce(array_agg(m.id), '{}') into started from moved m;
  perform core.enqueue_deliveries(started);
  return cardinality(started);
end
$$;
comment on function core.start_rounds is
  'Starts a new round over the retry ladder, due now, for those of the events that are in one of the states (delivered
or dead), and records who asked for it: the partner''s key, or null for an operator. Returns how many. The ids and
bodies of the events stay; callback_url, if given, is their new address.';
