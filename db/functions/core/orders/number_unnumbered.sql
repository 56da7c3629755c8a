create or replace function core.number_unnumbered(account_id bigint, part int)
returns int
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  mark supply.result_marks;
  numbered int;
begin
  insert into supply.result_marks (account_id)
  select a.id from supply.accounts a
  where a.id = account_id and not exists (select from supply.result_marks m where m.account_id = a.id)
  for key share of a skip locked
  on conflict on constraint result_marks_pkey do nothing;
  select m.* into mark from supply.result_marks m where m.account_id = number_unnumbered.account_id for no key update skip locked;
  if not found then
    return 0;
  end if;
  with taken as (
    delete from supply.unnumbered_results u
    where u.order_id = any (array(
      select w.order_id from supply.unnumbered_results w where w.account_id = number_unnumbered.account_id
      order by w.completed_at, w.order_id limit part))
    returning u.order_id, u.completed_at
  )
  insert into supply.order_results (account_id, seq, order_id)
  select number_unnumbered.account_id, mark.last_seq + row_number() over (order by t.completed_at, t.order_id), t.order_id from taken t;
  get diagnostics numbered = row_count;
  update supply.result_marks m set last_seq = m.last_seq + numbered where m.account_id = number_unnumbered.account_id;
  if mark.awaited_until > now() then
    perform pg_notify('order_results', account_id::text);
  end if;
  return numbered;
end
$$;
comment on function core.number_unnumbered is
  'Numbers so many of the account''s final orders that have no number, in the order of their ends, and returns how many it were: none while another '
  'transaction holds the account''s mark.';
