create or replace function api.get_event(account_id bigint, event_id uuid)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select core.event_json(e.id) from supply.events e
  where e.id = get_event.event_id and e.account_id = get_event.account_id and e.order_id is not null
$$;
comment on function api.get_event is 'An event of the account; null if it has none of this id, also for a sample.';
