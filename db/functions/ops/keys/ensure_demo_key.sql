-- Roles: operator
create or replace function ops.ensure_demo_key(known text default null)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  partner_id bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('demo_key', 0));
  select a.id into partner_id from supply.accounts a where a.name = 'Demo partner' and a.mode = 'test'
    order by a.id limit 1;
  if not found then
    partner_id := ops.create_account('Demo partner', mode => 'test');
    perform ops.deposit(partner_id, 100000, 'demo', allow => '{known_reference,large_amount}');
    perform ops.upsert_price_list('demo');
    perform ops.set_list_price('demo', p.id, list.price, list.min_quantity, allow => '{below_cost,large_change}')
    from (values (101, 10, 87), (101, 50, 85), (111, 5, 1950)) as list (product_id, min_quantity, price)
    join supply.products p on p.id = list.product_id and p.currency = 'RUB';
    perform ops.set_account_list(partner_id, 'demo', allow => '{below_cost}');
  end if;
  insert into supply.webhook_secrets (account_id, secret) values (partner_id, encode(core.random_bytes(), 'hex'))
  on conflict on constraint webhook_secrets_pkey do nothing;
  perform core.request_sealing();
  if exists (
    select from supply.api_keys k
    where k.key_hash = sha256(convert_to(known, 'UTF8')) and core.api_key_is_valid(k.id, partner_id)
  ) then
    return known;
  end if;
  return ops.issue_key(partner_id);
end
$$;
comment on function ops.ensure_demo_key is
  'Returns a working API key of the demo partner: the known one if it works, else a new one. The first call creates the
partner, a test account with 100000 RUB and a price list, and its signing secret, which other accounts get with their
first delivery. For demonstrations only.';
