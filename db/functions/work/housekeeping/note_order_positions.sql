create or replace function work.note_order_positions()
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_sort = off
as $$
#variable_conflict use_column
declare
  step constant int := 1000;
  most constant int := 20;
  last record;
  next record;
  noted int := 0;
begin
  for last in
    select a.id as account_id, coalesce(p.position, 0) as position, coalesce(p.order_id, 0) as order_id,
      coalesce(p.created_at, '-infinity') as created_at
    from supply.accounts a
    left join lateral (
      select p.* from supply.order_positions p where p.account_id = a.id order by p.position desc limit 1) as p on true
    where a.last_seq >= coalesce(p.seq, 0) + step
    order by a.id
  loop
    loop
      select o.id, o.created_at,
        (select l.seq from supply.ledger l where l.order_id = o.id and l.type = 'order_charge') as seq into next
      from supply.orders o
      -- A clock that was set back by less puts no order before one that has a position.
      where o.account_id = last.account_id and (o.created_at, o.id) > (last.created_at, last.order_id)
        and o.created_at < now() - interval '2 minutes'
      order by o.created_at, o.id offset step - 1 limit 1;
      exit when not found;
      last.position := last.position + step;
      last.created_at := next.created_at;
      last.order_id := next.id;
      insert into supply.order_positions (account_id, position, seq, order_id, created_at)
      values (last.account_id, last.position, next.seq, next.id, next.created_at)
      on conflict do nothing;
      noted := noted + 1;
      if noted = most then
        return true;
      end if;
    end loop;
  end loop;
  return false;
end
$$;
comment on function work.note_order_positions is
  'Notes how many orders the accounts have up to every thousandth of them, twenty notes a call. Returns whether there may be more to
note. Lists of orders are right without: they count from the newest note on.';
