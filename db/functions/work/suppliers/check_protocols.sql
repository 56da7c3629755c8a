create or replace function work.check_protocols(capabilities jsonb)
returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select format('the protocol %s of this worker %s', given.name, case
    when p.name is null then 'is not in supply.protocols: is the database migrated?'
    else 'has other capabilities than supply.protocols says: is one of them of another release?'
  end)
  from jsonb_each(capabilities) as given (name, declared)
  left join supply.protocols p on p.name = given.name
  -- A capability that an adapter does not name is none.
  where p.name is null or jsonb_build_object('reportsBalance', p.reports_balance,
      'repeatSafeSeconds', extract(epoch from p.repeat_safe_for), 'findsByReference', p.finds_by_reference,
      'pushes', p.pushes, 'listsOffers', p.lists_offers, 'requestsPerCall', p.requests_per_call,
      'asksByRepeating', p.asks_by_repeating, 'minWaitSeconds', extract(epoch from p.min_wait))
    <> '{"reportsBalance": false}' || given.declared
  order by given.name limit 1
$$;
comment on function work.check_protocols is
  'Takes the adapters'' capabilities by protocol (SupplierCapabilities). Returns why a worker with these adapters may
not start: supply.protocols does not know a protocol, or says otherwise; null: it may.';
