create or replace function core.number_results(order_ids bigint[], account_ids bigint[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  locked bigint[];
begin
  if cardinality(order_ids) = 0 then
    return;
  end if;
  locked := core.lock_briefly('result_marks', account_ids);
  with added as (
    insert into supply.order_results (account_id, seq, order_id)
    select m.account_id, m.last_seq + row_number() over (partition by m.account_id order by e.place), e.order_id
    from unnest(order_ids, account_ids) with ordinality as e (order_id, account_id, place)
    cross join lateral (select r.* from supply.result_marks r where r.account_id = e.account_id offset 0) as m
    where e.account_id = any (locked)
    returning account_id, seq
  )
  update supply.result_marks m set last_seq = a.last_seq
  from (select account_id, max(seq) as last_seq from added group by account_id) as a
  where m.account_id = a.account_id;
  if not account_ids <@ locked then
    insert into supply.unnumbered_results (order_id, account_id, completed_at)
    select e.order_id, e.account_id, now() from unnest(order_ids, account_ids) as e (order_id, account_id)
    where e.account_id <> all (locked);
  end if;
end
$$;
comment on function core.number_results is
  'Numbers the results of orders that end in this transaction; account_ids: of each. Call it late: the marks stay
locked. Where another transaction holds a mark, work.number_results does it later.';
