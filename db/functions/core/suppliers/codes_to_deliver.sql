create or replace function core.codes_to_deliver(item supply.order_items, outcome text, codes text[])
returns text[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with kept as (
    select array_agg(k.code order by k.position) as codes from supply.item_keys k where k.item_id = item.id
  ), all_codes as (
    select array(
      select (array_agg(c.code order by c.place))[1]
      from unnest(k.codes || codes_to_deliver.codes) with ordinality as c (code, place)
      group by core.code_identity(c.code) order by min(c.place)) as codes
    from kept k
  )
  select case
    when outcome = 'failed' and codes_to_deliver.codes = '{}' then '{}'
    -- Where too many were kept, the operator may name those to deliver. Sealed codes cannot be compared with them.
    when cardinality(a.codes) > item.amount and cardinality(codes_to_deliver.codes) = item.amount
      and k.codes[1] like 'sealed:%' then codes_to_deliver.codes
    when cardinality(a.codes) > item.amount and cardinality(codes_to_deliver.codes) = item.amount
      and core.code_identities(codes_to_deliver.codes) <@ core.code_identities(k.codes) then array(
        select c from unnest(k.codes) as c
        where core.code_identity(c) = any (core.code_identities(codes_to_deliver.codes))
        order by array_position(core.code_identities(codes_to_deliver.codes), core.code_identity(c)))
    else a.codes
  end
  from kept k, all_codes a
$$;
comment on function core.codes_to_deliver is
  'The codes that an item settled by hand delivers: those kept and those given; where too many were kept, those given
alone; none for failed with {}.';
