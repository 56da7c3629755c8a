set local role supply_owner;

-- Narrow, beside the orders: numbering the orders of before writes no order anew, and locks none. There is no foreign key
-- to the order, whose end writes the row: it would be looked up once more for each. The audit compares the two.
create table supply.order_results (
  account_id bigint not null,
  seq bigint not null check (seq >= 1),
  order_id bigint not null unique,
  primary key (account_id, seq)
);
comment on table supply.order_results is 'The final orders of each account, in the sequence in which it reads them. Rows are only ever added.';
comment on column supply.order_results.account_id is 'The account.';
comment on column supply.order_results.seq is 'Counts the account''s final orders from 1, in the order in which they were numbered; without a gap, but after a restore.';
comment on column supply.order_results.order_id is 'The order; it has one number.';
create trigger append_only before update or delete on supply.order_results for each row execute function supply.refuse_change();
create trigger append_only_truncate before truncate on supply.order_results for each statement execute function supply.refuse_change();

create table supply.result_marks (
  account_id bigint primary key references supply.accounts,
  last_seq bigint not null default 0 check (last_seq >= 0),
  is_behind boolean not null,
  awaited_until timestamptz,
  restarts bigint[] not null default '{}'
) with (fillfactor = 50);
comment on table supply.result_marks is
  'How far the sequence of results of an account is. Its row is locked, until its transaction ends, by whoever gives numbers.';
comment on column supply.result_marks.account_id is 'The account.';
comment on column supply.result_marks.last_seq is 'The last number that was given, or skipped.';
comment on column supply.result_marks.is_behind is 'Orders that ended before the sequence was there are not all numbered yet: those that end wait for them.';
comment on column supply.result_marks.awaited_until is 'Until when requests may wait for results, so that their end is notified; null: none ever did.';
comment on column supply.result_marks.restarts is 'Numbers with which the sequence went on after a restore, far above those that may have been given before it.';

create table supply.unnumbered_results (
  order_id bigint primary key,
  account_id bigint not null,
  completed_at timestamptz not null
);
create index unnumbered_results_turn on supply.unnumbered_results (account_id, completed_at, order_id);
comment on table supply.unnumbered_results is
  'Final orders that have no number yet: they ended before the sequence was there, or while another transaction held their account''s mark for long.';
comment on column supply.unnumbered_results.order_id is 'The order.';
comment on column supply.unnumbered_results.account_id is 'Its account.';
comment on column supply.unnumbered_results.completed_at is 'When it became final.';

create table supply.result_collection (
  id boolean primary key default true check (id),
  begun_by xid8,
  position bigint not null default 0,
  collected_at timestamptz
);
comment on table supply.result_collection is 'How far the orders are collected that became final before the sequence of results was there. One row.';
comment on column supply.result_collection.id is 'Always true: there is one row.';
comment on column supply.result_collection.begun_by is
  'A transaction from when the functions gave numbers already: once all before it have ended, no order becomes final without.';
comment on column supply.result_collection.position is 'Up to which order it is.';
comment on column supply.result_collection.collected_at is 'When it was done.';
-- Where there is no account, nothing can have ended.
insert into supply.result_collection (collected_at)
select case when not exists (select from supply.accounts) then now() end;

reset role;
