create or replace function core.leased_attempts(event_ids uuid[])
returns supply.leased_attempt[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  if cardinality(event_ids) = 0 then
    return '{}';
  end if;
  return array(
    select row(
      e.id, e.lease_token, e.callback_url, e.event_type, e.body,
      (select s.secret from supply.webhook_secrets s where s.account_id = e.account_id),
      e.attempts, placed.request_id, placed.request_id_given, placed.traceparent, e.account_id)::supply.leased_attempt
    from supply.events e
    left join lateral (
      select o.request_id, o.request_id_given, o.traceparent from supply.orders o where o.id = e.order_id offset 0
    ) as placed on true
    where e.id = any (event_ids));
end
$$;
comment on function core.leased_attempts is
  'The attempts of events that this transaction has leased.';
