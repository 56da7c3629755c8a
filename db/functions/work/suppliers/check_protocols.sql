create or replace function work.check_protocols(promises jsonb)
returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select format('the protocol %s of this worker %s', given.name, case
    when p.name is null then 'is not in supply.protocols: is the database migrated?'
    else 'does not promise what supply.protocols says: is one of them of another release?'
  end)
  from jsonb_each(promises) as given (name, promised)
  left join supply.protocols p on p.name = given.name
  where p.name is null or jsonb_build_object(
      'repeatSafeSeconds', extract(epoch from p.repeat_safe_for), 'findsByReference', p.finds_by_reference, 'pushes', p.pushes,
      'listsOffers', p.lists_offers, 'requestsPerCall', p.requests_per_call) <> given.promised
  order by given.name limit 1
$$;
comment on function work.check_protocols is
  'Why a worker with these adapters may not start: one of them speaks a protocol that the database does not know, or promises something else of it. '
  'promises has a SupplierPromises by the name of each protocol. Null if it may; a protocol of which it has no adapter is no reason.';
