create or replace function core.number_results(order_ids bigint[], account_ids bigint[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  unnumbered bigint[] := account_ids;
  numbered bigint[];
  awaited bigint[];
begin
  if cardinality(order_ids) = 0 then
    return;
  end if;
  for attempt in 1..2 loop
    with locked as materialized (
      select m.account_id, m.last_seq from supply.result_marks m
      where m.account_id = any (unnumbered) order by m.account_id for no key update skip locked
    ), added as (
      insert into supply.order_results (account_id, seq, order_id)
      select l.account_id, l.last_seq + row_number() over (partition by l.account_id order by e.order_id), e.order_id
      from locked l join unnest(order_ids, account_ids) as e (order_id, account_id) on e.account_id = l.account_id
      returning account_id, seq
    ), moved as (
      update supply.result_marks m set last_seq = a.last_seq
      from (select account_id, max(seq) as last_seq from added group by account_id) as a
      where m.account_id = a.account_id
      returning m.account_id, m.awaited_until
    )
    select array_agg(m.account_id), array_agg(m.account_id) filter (where m.awaited_until > now()) into numbered, awaited from moved m;
    if awaited is not null then
      perform pg_notify('order_results', a::text) from unnest(awaited) as a;
    end if;
    if unnumbered <@ numbered then
      return;
    end if;
    unnumbered := array(select a from unnest(unnumbered) as a where numbered is null or a <> all (numbered));
    exit when attempt = 2 or cardinality(core.lock_result_marks(unnumbered)) = 0;
  end loop;
  insert into supply.unnumbered_results (order_id, account_id, completed_at)
  select o.id, o.account_id, o.completed_at
  from unnest(order_ids, account_ids) as e (order_id, account_id)
  cross join lateral (select o.* from supply.orders o where o.id = e.order_id offset 0) as o
  where e.account_id = any (unnumbered);
end
$$;
comment on function core.number_results is
  'Gives orders that end in this transaction, of the accounts at the same places, their numbers in the accounts'' sequences of results, and notifies '
  'those who wait for them. The mark of an account is locked until the transaction ends, so that numbers become visible in their order: call it late. '
  'Where another transaction holds a mark for more than 50 ms, work.number_results does it later.';
