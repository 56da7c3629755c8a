-- Roles: trade
create or replace function ops.set_account_list(account_id bigint, list anycompatible, allow text[] default '{}')
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant bigint := core.refer_to('account', account_id);
  account supply.accounts;
  seen supply.accounts;
  wanted supply.price_lists;
  before text;
  after text;
begin
  perform core.check_allow(allow);
  if list is not null then
    wanted := core.lock_price_list(list);
    after := format('%s (%s)', wanted.id, wanted.name);
  end if;
  -- Judged before the account is locked: its orders do not wait while a large catalog is read.
  loop
    select a.* into seen from supply.accounts a where a.id = wanted_id;
    perform core.refuse_risks(core.risks_of_losses(core.losses_of_account(p.ids, seen.list_id),
      core.losses_of_account(p.ids, wanted.id)), allow)
    from (select array(select p.id from supply.products p where p.currency = seen.currency) as ids) as p
    where seen.list_id is distinct from wanted.id;
    account := core.lock_account(wanted_id);
    exit when account.list_id is not distinct from seen.list_id;
  end loop;
  if account.list_id is not distinct from wanted.id then
    raise notice 'account % (%) has % already: nothing changed', account.id, account.name,
      coalesce('price list ' || after, 'no price list');
    return;
  end if;
  before := (select format('%s (%s)', l.id, l.name) from supply.price_lists l where l.id = account.list_id);
  update supply.accounts a set list_id = wanted.id where a.id = account.id;
  perform core.log_operator('set_account_list', 'account ' || account.id,
    jsonb_build_object('list_id', wanted.id, 'before', account.list_id));
  raise notice 'account % (%) has % now; before: %', account.id, account.name,
    coalesce('price list ' || after, 'no price list'), coalesce(before, 'none');
end
$$;
comment on function ops.set_account_list(bigint, anycompatible, text[]) is
  'As ops.set_account_list(text, text, text[]), for the id of an account.';

create or replace function ops.set_account_list(account_id text, list text, allow text[] default '{}')
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select ops.set_account_list(core.refer_to('account', account_id)::bigint, list, allow)
$$;
comment on function ops.set_account_list(text, text, text[]) is
  'Gives an account the prices of a list (number or name), instead of those that it has; null: those of the products.
Existing orders keep their prices. ops.prices shows what the account pays. Raises for an unknown account or list. allow:
below_cost.';

create or replace function ops.set_account_list(account_id text, list bigint, allow text[] default '{}')
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select ops.set_account_list(core.refer_to('account', account_id)::bigint, list, allow)
$$;
comment on function ops.set_account_list(text, bigint, text[]) is
  'As ops.set_account_list(text, text, text[]), for the number of a list.';
