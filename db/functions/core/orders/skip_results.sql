create or replace function core.skip_results()
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  insert into supply.result_marks as m (account_id, last_seq, restarts)
  select a.id, 1000000, array[1000001]
  from supply.accounts a order by a.id
  on conflict on constraint result_marks_pkey
  do update set last_seq = m.last_seq + 1000000, restarts = array_append(m.restarts, m.last_seq + 1000001)
$$;
comment on function core.skip_results is
  'Has the sequence of results of each account go on a million higher: numbers that were given after a back-up, and that partners may have read, '
  'are given to no other orders after the restore.';
