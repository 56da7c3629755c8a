create or replace function core.lose_attempts(event_ids uuid[], ended_at timestamptz default null)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.end_attempts(array(
    select row(
      null, e.id, e.account_id, e.lease_token, 'lost', case when rung.delay is null then 'attempts_exhausted' end,
      rung.ended_at, rung.ended_at + rung.delay, null, null, null, null, 0)::supply.delivery_result
    from supply.events e
    cross join lateral (
      select core.rung_delay(e.attempts) as delay, coalesce(lose_attempts.ended_at, e.lease_expires_at) as ended_at
    ) as rung
    where e.id = any (event_ids)));
end
$$;
comment on function core.lose_attempts is
  'Ends the attempts under way of these events, whose worker recorded no result, at ended_at (null: with their leases).
The caller has locked the events.';
