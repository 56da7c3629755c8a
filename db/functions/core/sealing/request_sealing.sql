create or replace function core.request_sealing(item_id uuid default gen_random_uuid())
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from supply.data_keys) then
    perform core.enqueue('seal_typed', array[item_id]);
  end if;
end
$$;
comment on function core.request_sealing is
  'Has a worker seal at once what an operator typed: the codes of the order of an item, and all secrets and tokens. Does
nothing in a database without data keys.';
