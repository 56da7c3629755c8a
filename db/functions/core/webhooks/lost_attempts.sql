create or replace function core.lost_attempts(event_ids uuid[], ended_at timestamptz default null)
returns supply.delivery_result[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select row(
      null, e.id, e.account_id, 'lost', coalesce(lost_attempts.ended_at, e.lease_expires_at), null, null, null, 0
    )::supply.delivery_result
    from supply.events e where e.id = any (event_ids));
end
$$;
comment on function core.lost_attempts is
  'Returns the attempts under way of these events as lost, for core.end_attempts. They ended at ended_at; null: with their leases.';
