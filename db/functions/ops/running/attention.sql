create or replace view ops.attention as
select date_trunc('second', a.since) as since, a.what, a.subject, a.detail, a.remedy, a.order_code, a.account_id
from (
  select d.* from core.attention_to_deliveries d
  union all
  select i.* from core.attention_to_items i
  union all
  select m.* from core.attention_to_money m
  union all
  select al.* from core.attention_to_alerts al
  union all
  select su.* from core.attention_to_suppliers su
  union all
  select o.* from core.attention_to_offers o
) as a
order by a.since;
comment on view ops.attention is
  'The things that need an operator, oldest first, each with the SQL that would fix it. Read ops.order_story of the
subject first: a remedy may refund. More than ten of a kind at one account or supplier share a line. With over a
hundred deliveries of a kind, all of an account share one.';
comment on column ops.attention.since is 'When it began.';
comment on column ops.attention.what is
  'dead letter, item stuck or held, outcome unknown, contradicting result, sold twice, lost by a failover, supplier
silent, circuit, balance, credentials, settings, paused or not read, offer cost, margin or below cost, rate missing,
expired or expires, delivery late, result not told, balance low, money held, sweeper late, audit late, alert.';
comment on column ops.attention.subject is
  'The item, event, order, account, alert, supplier or rate. ops.order_story and ops.find take what follows the first
word, but for a rate.';
comment on column ops.attention.detail is 'What is wrong, and what to look at first.';
comment on column ops.attention.remedy is 'A statement that would fix it, ready to run.';
comment on column ops.attention.order_code is 'The order, if it concerns a single one.';
comment on column ops.attention.account_id is 'The account, if it concerns a single one.';
