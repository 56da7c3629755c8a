create or replace function api.get_simulation(account_id bigint, event_id uuid)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select core.sample_state(get_simulation.account_id, get_simulation.event_id)
$$;
comment on function api.get_simulation is
  'Returns a simulated event of the account with its attempts (core.sample_state); null: it has none with this id.';
