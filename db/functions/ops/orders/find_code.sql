-- Roles: support
create or replace function ops.find_code(code text)
returns table (
  order_code text, item_id uuid, account_id bigint, partner text, supplier text, supplier_order_id text,
  delivered_at timestamptz, replaced_at timestamptz
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.require(not core.is_blank(code), 'code must be the code that a customer has');
  perform core.require(code like 'sealed:%' or not exists (select from supply.data_keys),
    'codes are sealed in this database: SQL cannot compare them', 'object_not_in_prerequisite_state',
    'On a machine with DATABASE_URL and DATA_KEYS: npm run find-code -- <code>');
  return query
  select o.code, i.id, a.id, a.name, i.supplier, i.supplier_order_id,
    case when i.status = 'completed' then i.completed_at end, w.replaced_at
  from core.owners_of_codes(array[case when code like 'sealed:%' then code else core.trim_blanks(code) end]) w
  join supply.order_items i on i.id = w.item_id
  join supply.orders o on o.id = i.order_id
  join supply.accounts a on a.id = o.account_id
  order by i.completed_at nulls last, i.id;
  if not found then
    raise notice 'no item has this code, and no item had it';
  end if;
end
$$;
comment on function ops.find_code is
  'Returns the items that have a code, or had it before ops.replace_code (replaced_at). delivered_at: when the partner
could read it; null: it was not delivered. Where codes are sealed it says to use npm run find-code.';
