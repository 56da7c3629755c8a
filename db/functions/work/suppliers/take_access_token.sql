create or replace function work.take_access_token(supplier text, renewer uuid, rejected text)
returns table (sealed text, expires_at timestamptz, must_renew boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  token supply.access_tokens;
  is_good boolean;
begin
  if not exists (select from supply.access_tokens t where t.supplier = take_access_token.supplier) then
    insert into supply.access_tokens (supplier) values (take_access_token.supplier) on conflict do nothing;
  end if;
  select t.* into token from supply.access_tokens t
  where t.supplier = take_access_token.supplier for no key update skip locked;
  if not found then
    return;
  end if;
  is_good := coalesce(token.expires_at > now() and token.sealed is distinct from rejected, false);
  if is_good and token.expires_at > now() + interval '30 s' then
    return query select token.sealed, token.expires_at, false;
  elsif token.renewing_until > now() then
    return query select token.sealed, token.expires_at, false where is_good;
  else
    update supply.access_tokens t set renewed_by = renewer, renewing_until = now() + interval '15 s'
    where t.supplier = take_access_token.supplier;
    return query select null::text, null::timestamptz, true;
  end if;
end
$$;
comment on function work.take_access_token is
  'Returns the sealed access token of a supplier, and its end. must_renew: the caller (renewer) has 15 s to store a
new one (work.keep_access_token). No row: another one renews or holds it; ask again. rejected: a sealed token that
the supplier refused. Raises foreign_key_violation for an unknown supplier.
nullable: sealed, expires_at';
