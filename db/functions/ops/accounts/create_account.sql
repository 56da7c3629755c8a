-- Roles: finance
create or replace function ops.create_account(
  name text, kind text default 'supply', mode text default 'live', currency text default 'RUB'
)
returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  account_id bigint;
  namesake bigint;
begin
  perform core.require(length(trim(create_account.name)) between 1 and 200, 'name must have 1 to 200 characters');
  perform core.require(create_account.kind in ('supply', 'storefront'), 'kind must be supply or storefront');
  perform core.require(create_account.mode in ('live', 'test'), 'mode must be live or test');
  perform core.require(core.decimals(create_account.currency) is not null,
    'currency must be three capital letters, such as RUB, of a currency with at most 2 decimals');
  select a.id into namesake from supply.accounts a
  where lower(trim(a.name)) = lower(trim(create_account.name)) order by a.id limit 1;
  if found then
    raise warning 'account % has this name, too', namesake using hint = 'ops.onboard refuses that.';
  end if;
  insert into supply.accounts as a (name, kind, mode, currency)
  values (create_account.name, create_account.kind, create_account.mode, create_account.currency)
  returning a.id into account_id;
  insert into supply.delivery_slots (account_id) values (account_id);
  insert into supply.result_marks (account_id) values (account_id);
  perform core.log_operator('create_account', 'account ' || account_id,
    jsonb_build_object('name', name, 'kind', kind, 'mode', mode, 'currency', currency));
  raise notice 'account % (%) is created: %, %, in %', account_id, name, kind, mode, currency;
  return account_id;
end
$$;
comment on function ops.create_account is
  'Creates an active account with a balance of 0 and returns its number. kind: supply, or storefront (refused on
partner endpoints). mode: live, or test (may use the simulation endpoints; its orders are real too). currency: ISO
4217. Warns if another account has the name.';
