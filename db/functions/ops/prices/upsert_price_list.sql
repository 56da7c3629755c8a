-- Roles: trade
create or replace function ops.upsert_price_list(name text, discount numeric default 0, allow text[] default '{}')
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := core.trim_blanks(name);
  is_new boolean;
  before supply.price_lists;
  product_ids constant int[] := array(select p.id from supply.products p);
  losses supply.loss[];
begin
  perform core.check_allow(allow);
  perform core.require(coalesce(length(wanted) between 1 and 100 and wanted !~ '^[0-9]+$', false),
    'name must have 1 to 100 characters, and not be a number');
  perform core.require(coalesce(discount >= 0 and discount < 1 and round(discount, 6) = discount, false),
    'discount must be from 0 to below 1, with at most 6 decimals, as 0.05 for 5 per cent');
  -- Without the look before, each call would use up a number.
  insert into supply.price_lists as l (name)
  select wanted where not exists (select from supply.price_lists l where l.name = wanted)
  on conflict on constraint price_lists_name_key do nothing;
  is_new := found;
  before := core.lock_price_list(wanted);
  if before.discount = upsert_price_list.discount and not is_new then
    raise notice 'price list % (%) has the discount % already: nothing changed', before.id, wanted,
      trim_scale(before.discount);
    return before.id;
  end if;
  losses := core.losses(product_ids, array[before.id]);
  update supply.price_lists l set discount = upsert_price_list.discount where l.id = before.id;
  perform core.refuse_risks(core.risks_of_losses(losses, core.losses(product_ids, array[before.id])), allow);
  perform core.log_operator('upsert_price_list', 'price list ' || wanted, jsonb_build_object('list_id', before.id,
    'discount', discount) || case when is_new then '{}' else jsonb_build_object('before', before.discount) end);
  raise notice 'price list % (%) %', before.id, wanted, case
    when is_new then format('is created: discount %s', trim_scale(discount))
    else format('has the discount %s now; before: %s; accounts with it: %s', trim_scale(discount),
      trim_scale(before.discount), (select count(*) from supply.accounts a where a.list_id = before.id)) end;
  return before.id;
end
$$;
comment on function ops.upsert_price_list is
  'Creates a price list or changes the one with the name; returns its number. discount: the part taken off the prices of
products that have no price of their own in the list, as 0.05 for 5 per cent. Existing orders keep their prices.
ops.set_account_list gives it to a partner. allow: below_cost.';
