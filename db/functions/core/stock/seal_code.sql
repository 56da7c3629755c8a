create or replace function core.seal_code(stock_id uuid, old_code text, new_code text)
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  update supply.stock_codes c set code = new_code, state = case
    when c.state <> 'unsealed' then c.state
    when exists (
        select from supply.stock_codes o
        where core.code_identity(o.code) = core.code_identity(new_code) and o.state in ('unsealed', 'free'))
      or exists (select from core.owners_of_codes(array[new_code])) then 'duplicate'
    else 'free' end
  where c.id = stock_id and c.code = old_code
$$;
comment on function core.seal_code is
  'Replaces a code of our own stock by its sealed form. From here on it is sold, unless the stock or an item has it
already: then it is a duplicate, which ops.attention shows.';
