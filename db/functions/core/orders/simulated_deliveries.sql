create or replace function core.simulated_deliveries(account_id bigint, event_id uuid)
returns json
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select json_build_object(
    'eventId', sample.state ->> 'eventId',
    'state', sample.state ->> 'state',
    'attempts', (select e.attempts from supply.events e where e.id = simulated_deliveries.event_id),
    'nextAttemptAt', sample.state ->> 'nextAttemptAt',
    'lastStatus', last.status_code,
    'lastError', core.delivery_error(last.outcome, last.status_code, last.error_kind))
  from (select core.sample_state(simulated_deliveries.account_id, simulated_deliveries.event_id) as state) as sample
  left join lateral (
    select a.* from core.sample_attempts(simulated_deliveries.account_id, simulated_deliveries.event_id) a
    where a.finished_at is not null order by a.round desc, a.attempt desc limit 1) as last on true
  where sample.state is not null
$$;
comment on function core.simulated_deliveries is
  'Returns the delivery of a simulated order''s event, in the form of core.event_deliveries; null: there is no event.
Shows no more of a host than core.sample_state.';
