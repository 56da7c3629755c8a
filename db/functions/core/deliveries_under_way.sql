create or replace function core.deliveries_under_way(account_id bigint)
returns int
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select count(*)::int from supply.events e
  where e.account_id = deliveries_under_way.account_id and e.state = 'sending' and e.claim_expires_at > now()
$$;
comment on function core.deliveries_under_way is 'How many deliveries of the account are claimed by a worker now.';
revoke all on function core.deliveries_under_way from public;
