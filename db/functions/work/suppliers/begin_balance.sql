create or replace function work.begin_balance()
returns table (
  supplier text, reading uuid, protocol text, base_url text, token text, token_url text, client_id text,
  per_minute numeric
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  due record;
begin
  insert into supply.supplier_balances (supplier)
  select s.code from supply.suppliers s join supply.protocols p on p.name = s.protocol and p.reports_balance
  where s.active and not exists (select from supply.supplier_balances b where b.supplier = s.code)
  order by s.code for no key update of s skip locked
  on conflict do nothing;
  select s.*, b.due_at into due
  from supply.supplier_balances b
  join supply.suppliers s on s.code = b.supplier
  join supply.protocols p on p.name = s.protocol and p.reports_balance
  where s.active and b.due_at <= now()
  order by b.due_at, b.supplier limit 1 for update of b skip locked;
  if found then
    return query
    with begun as (
      update supply.supplier_balances b set reading = gen_random_uuid(), due_at = now() + interval '5 minutes'
      where b.supplier = due.code returning b.reading
    )
    select due.code, b.reading, due.protocol, due.base_url, due.token, due.token_url, due.client_id, due.per_minute
    from begun b;
  end if;
end
$$;
comment on function work.begin_balance is
  'Begins the reading of one balance that is due, and returns how to reach the supplier; no row: none is due. The next
is due in 5 minutes, whether or not this one ends. reading: for work.finish_balance.
nullable: token_url, client_id, per_minute';
