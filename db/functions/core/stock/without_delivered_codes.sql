create or replace function core.without_delivered_codes(codes supply.stock_codes[])
returns supply.stock_codes[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  delivered constant uuid[] := array(
    select c.id from unnest(codes) as c
    -- An `exists` may be planned as one list of all codes.
    where (select true from supply.item_keys k where core.code_identity(k.code) = core.code_identity(c.code) limit 1)
      or (
        select true from supply.replaced_codes r
        where core.code_identity(r.code) = core.code_identity(c.code) limit 1));
begin
  if delivered = '{}' then
    return codes;
  end if;
  update supply.stock_codes c set state = 'duplicate' where c.id = any (delivered);
  return array(
    select codes[n] from generate_subscripts(codes, 1) as n where (codes[n]).id <> all (delivered) order by n);
end
$$;
comment on function core.without_delivered_codes is
  'Returns the free codes, which the caller has locked, without those that some item has by now, or had before
an operator replaced them; these are duplicates from now on, and are not sold.';
