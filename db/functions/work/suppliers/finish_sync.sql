create or replace function work.finish_sync(supplier text, lease_token uuid, error text)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  sync supply.supplier_syncs;
  known supply.suppliers;
begin
  -- In the order of who changes a supplier: its row, its lease, products.
  perform 1 from supply.suppliers s where s.code = finish_sync.supplier for no key update;
  update supply.supplier_syncs y set
    lease_token = null, lease_expires_at = null, failures = case when error is null then 0 else y.failures + 1 end,
    failing_since = case when error is not null then coalesce(y.failing_since, now()) end
  where y.supplier = finish_sync.supplier and y.lease_token = finish_sync.lease_token and y.lease_expires_at > now()
  returning y.* into sync;
  if not found then
    return false;
  end if;
  update supply.suppliers s set
    synced_at = case when error is null then now() else s.synced_at end,
    sync_error = left(error, 500),
    sync_due_at = case
      -- Asked for while it was under way: then it is to be begun again.
      when s.sync_due_at > sync.leased_at then s.sync_due_at
      when error is null then now() + s.sync_every
      else now() + least(s.sync_every, coalesce((array[1, 2, 5, 10, 20, 30])[sync.failures], 60) * interval '1 minute')
    end
  where s.code = finish_sync.supplier
  returning s.* into known;
  if error is not null then
    perform core.alert_outdated(known.code);
  end if;
  return true;
end
$$;
comment on function work.finish_sync is
  'Ends the reading of a supplier''s list. error: why it failed, null if it is complete. After a failure it is read
again in 1, 2, 5, 10, 20, 30, 60 minutes, at most in sync_every; operators are alerted when four intervals are missed.
Returns false, and records nothing, if the lease has ended.';
