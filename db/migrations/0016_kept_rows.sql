set local role supply_owner;

-- A statement that serves many orders would wait here for the one product or supplier that somebody has locked.
alter table supply.order_items
  drop constraint order_items_product_id_fkey,
  drop constraint order_items_supplier_fkey;
alter table supply.supplier_attempts drop constraint supplier_attempts_supplier_fkey;
alter table supply.supplier_call_counts drop constraint supplier_call_counts_supplier_fkey;

create function supply.refuse_removal() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'rows of % are never deleted, and keep their key', tg_table_name using errcode = 'restrict_violation';
end
$$;
comment on function supply.refuse_removal() is
  'Trigger function: raises restrict_violation. It keeps rows that others name without a foreign key.';
create trigger kept before delete or update of id on supply.products
  for each row execute function supply.refuse_removal();
create trigger kept before delete or update of code on supply.suppliers
  for each row execute function supply.refuse_removal();

reset role;
