create or replace function core.lock_deliveries(event_ids uuid[])
returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  accounts bigint[] := array(select distinct e.account_id from supply.events e where e.id = any (event_ids) order by 1);
  account bigint;
begin
  foreach account in array accounts loop
    perform pg_advisory_xact_lock(core.delivery_lock(account));
  end loop;
  return accounts;
end
$$;
comment on function core.lock_deliveries is
  'Locks the deliveries of the accounts of these events until the transaction ends, and gives the accounts: two workers that looked for room, or '
  'made some, at the same time would miscount. Call it before any row is locked.';
revoke all on function core.lock_deliveries from public;
