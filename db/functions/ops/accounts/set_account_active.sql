-- Roles: finance
create or replace function ops.set_account_active(account_id anycompatible, active boolean)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  account supply.accounts := core.lock_account(account_id);
begin
  perform core.require(active is not null, 'active must be true or false');
  if account.active = set_account_active.active then
    raise notice 'account % (%) is already %: nothing changed', account.id, account.name, case when active then 'open'
      else 'closed' end;
    return;
  end if;
  update supply.accounts a set active = set_account_active.active where a.id = account.id;
  perform core.log_operator('set_account_active', 'account ' || account.id, jsonb_build_object('active', active,
    'before', account.active));
  raise notice 'account % (%) is %', account.id, account.name,
    case when active then 'open' else 'closed: its keys get 401; its open orders go on, and their events are '
      'delivered' end;
end
$$;
comment on function ops.set_account_active is
  'Opens or closes an account. The API keys of a closed account get 401. Its orders continue, and its events are
delivered. Specification 5.';
