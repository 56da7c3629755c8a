-- Roles: finance
create or replace function ops.rename_account(account_id anycompatible, name text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  account supply.accounts := core.lock_account(account_id);
  wanted constant text := core.trim_blanks(rename_account.name);
  namesake bigint;
begin
  perform core.require(length(wanted) between 1 and 200, 'name must have 1 to 200 characters');
  if account.name = wanted then
    raise notice 'account % has the name % already: nothing changed', account.id, wanted;
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('names of accounts', 0));
  namesake := (
    select a.id from supply.accounts a
    where lower(trim(a.name)) = lower(wanted) and a.id <> account.id order by a.id limit 1);
  perform core.require(namesake is null, format('account %s has the name %L already', namesake, wanted),
    'unique_violation', 'Operators name accounts by their names: give one that no other account has.');
  update supply.accounts a set name = wanted where a.id = account.id;
  perform core.log_operator('rename_account', 'account ' || account.id,
    jsonb_build_object('name', wanted, 'before', account.name));
  raise notice 'account %: name % → %', account.id, account.name, wanted;
end
$$;
comment on function ops.rename_account is
  'Gives an account another name. Partners do not see it change anywhere but in GET /b2b/me. Raises if another account
has the name.';
