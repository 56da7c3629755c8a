create or replace function work.begin_sync()
returns table (
  supplier text, lease_token uuid, protocol text, base_url text, token text, token_url text, client_id text,
  skus jsonb, per_minute numeric, skus_for_texts jsonb
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  due record;
begin
  insert into supply.supplier_syncs (supplier)
  select s.code from supply.suppliers s join supply.protocols p on p.name = s.protocol and p.lists_offers
  where s.active and s.sync_due_at <= now()
    and not exists (select from supply.supplier_syncs y where y.supplier = s.code)
  order by s.code for no key update of s skip locked
  on conflict do nothing;
  select s.* into due
  from supply.supplier_syncs y
  join supply.suppliers s on s.code = y.supplier
  join supply.protocols p on p.name = s.protocol and p.lists_offers
  where s.active and s.sync_due_at <= now() and coalesce(y.lease_expires_at <= now(), true)
  order by s.sync_due_at, s.code limit 1 for update of y skip locked;
  if found then
    return query
    with begun as (
      update supply.supplier_syncs y set
        lease_token = gen_random_uuid(), leased_at = now(), lease_expires_at = now() + interval '10 minutes'
      where y.supplier = due.code returning y.lease_token
    )
    select due.code, b.lease_token, due.protocol, due.base_url, due.token, due.token_url, due.client_id,
      (select coalesce(jsonb_agg(distinct o.sku), '[]') from supply.offers o where o.supplier = due.code),
      due.per_minute, (
        select coalesce(jsonb_agg(c.sku), '[]') from (
          select o.sku from supply.offers o
          where o.supplier = due.code and not exists (
            select from supply.product_texts t
            where t.product_id = o.product_id and t.supplier is distinct from due.code)
          group by o.sku order by random() limit 20) as c)
    from begun b;
  end if;
end
$$;
comment on function work.begin_sync is
  'Leases (10 minutes) the reading of one supplier''s list that is due, for work.record_list and work.finish_sync.
Returns how to reach the supplier, the skus of its offers, its limit of requests, and 20 skus whose texts it may give;
no row: none is due. After the lease another worker reads the list, and the first one changes nothing.
nullable: token_url, client_id, per_minute';
