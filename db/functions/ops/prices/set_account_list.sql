-- Roles: trade
create or replace function ops.set_account_list(account_id bigint, list anycompatible, allow text[] default '{}')
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  account constant supply.accounts := core.lock_account(account_id);
  before constant text := (
    select format('%s (%s)', l.id, l.name) from supply.price_lists l where l.id = account.list_id);
  wanted supply.price_lists;
  product_ids int[];
  after text;
begin
  perform core.check_allow(allow);
  if list is not null then
    wanted := core.lock_price_list(list);
    after := format('%s (%s)', wanted.id, wanted.name);
  end if;
  if account.list_id is not distinct from wanted.id then
    raise notice 'account % (%) has % already: nothing changed', account.id, account.name,
      coalesce('price list ' || after, 'no price list');
    return;
  end if;
  product_ids := array(select p.id from supply.products p where p.currency = account.currency);
  perform core.refuse_risks(core.risks_of_losses(
    core.losses_of_account(product_ids, account.list_id), core.losses_of_account(product_ids, wanted.id)), allow);
  update supply.accounts a set list_id = wanted.id where a.id = account.id;
  perform core.log_operator('set_account_list', 'account ' || account.id,
    jsonb_build_object('list_id', wanted.id, 'before', account.list_id));
  raise notice 'account % (%) has % now; before: %', account.id, account.name,
    coalesce('price list ' || after, 'no price list'), coalesce(before, 'none');
end
$$;
comment on function ops.set_account_list(bigint, anycompatible, text[]) is
  'Gives an account the prices of a list (number or name), instead of those that it has; null: those of the products.
Existing orders keep their prices. ops.prices shows what the account pays. Raises for an unknown account or list. allow:
below_cost.';

create or replace function ops.set_account_list(account_id text, list text, allow text[] default '{}')
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select ops.set_account_list(core.refer_to('account', account_id)::bigint, list, allow)
$$;
comment on function ops.set_account_list(text, text, text[]) is
  'As ops.set_account_list(bigint, anycompatible, text[]), for an account that is named as in ops.find.';
