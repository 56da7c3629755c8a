create or replace function work.begin_sync()
returns table (
  supplier text, lease_token uuid, protocol text, base_url text, token text, token_url text, client_id text, skus jsonb, per_minute numeric
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  due record;
  lease uuid;
begin
  for due in
    select s.* from supply.suppliers s join supply.protocols p on p.name = s.protocol
    where s.active and p.lists_offers and s.sync_due_at <= now()
      and not exists (select from supply.supplier_syncs y where y.supplier = s.code and y.lease_expires_at > now())
    order by s.sync_due_at, s.code
  loop
    insert into supply.supplier_syncs (supplier) values (due.code) on conflict do nothing;
    perform 1 from supply.supplier_syncs y
    where y.supplier = due.code and coalesce(y.lease_expires_at <= now(), true) for update skip locked;
    continue when not found;
    lease := gen_random_uuid();
    update supply.supplier_syncs y set lease_token = lease, leased_at = now(), lease_expires_at = now() + interval '10 minutes'
    where y.supplier = due.code;
    return query select due.code, lease, due.protocol, due.base_url, due.token, due.token_url, due.client_id,
      (select coalesce(jsonb_agg(distinct o.sku), '[]') from supply.offers o where o.supplier = due.code), due.per_minute;
    return;
  end loop;
end
$$;
comment on function work.begin_sync is
  'Leases the reading of the list of one supplier that is due, and returns how it is reached and the skus of its offers; no row: none is due. lease_token '
  'is the fencing token of work.record_list and work.finish_sync. The lease lasts 10 minutes; another worker starts a reading that takes longer again, and the late '
  'one changes nothing. per_minute is the limit of requests, for work.take_request.
nullable: token_url, client_id, per_minute';
