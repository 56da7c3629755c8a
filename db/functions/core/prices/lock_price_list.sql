create or replace function core.lock_price_list(reference anycompatible)
returns supply.price_lists
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := core.trim_blanks(core.text_of(reference));
  list supply.price_lists;
begin
  select l.* into list from supply.price_lists l where wanted in (l.id::text, l.name) for no key update;
  perform core.require(found, format('there is no price list %s', coalesce(quote_literal(left(wanted, 100)), 'null')),
    'no_data_found', 'ops.price_lists lists them, ops.upsert_price_list creates one.');
  return list;
end
$$;
comment on function core.lock_price_list is
  'Returns the price list with a number or name, locked until the transaction ends. Raises no_data_found if there is
none.';
