create or replace function core.taken_code(codes text[], by_others_than uuid default null)
returns text
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  -- Two operators must not give one code to two items.
  lock table supply.replaced_codes in share row exclusive mode;
  -- A sale of one of them that is under way ends first; later ones find it delivered.
  perform 1 from supply.stock_codes c
  where core.code_identity(c.code) = any (core.code_identities(codes)) and c.state in ('unsealed', 'free')
  order by c.id for update;
  return (
    select format('%s %s item %s of order %s (account %s, %s)%s', case when cardinality(codes) = 1 then 'this code'
        else format('code %s of the %s', w.place, cardinality(codes)) end,
      case when w.replaced_at is null then 'is a code of' else 'was a code of' end, w.item_id, o.code, a.id, a.name,
      ', replaced on ' || w.replaced_at::timestamptz(0))
    from core.owners_of_codes(codes) w
    join supply.order_items i on i.id = w.item_id
    join supply.orders o on o.id = i.order_id
    join supply.accounts a on a.id = o.account_id
    -- guard: no operator delivers a code that another item has
    where w.item_id is distinct from by_others_than or w.replaced_at is not null
    order by w.place, w.replaced_at nulls first, w.item_id limit 1);
end
$$;
comment on function core.taken_code is
  'Returns in words which of the codes an item has, or had before it was replaced; null: none. It names the place of
the code, and not the code. by_others_than: the codes that this item has do not count.';
