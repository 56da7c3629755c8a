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
  'What wants a human, oldest first, a line each, and the SQL that would put it right. Read ops.order_story of the
subject before: a remedy may refund. More than ten of a kind at one account or supplier are one line, and where there
are over a hundred deliveries of a kind, all of an account are.';
comment on column ops.attention.since is 'Since when.';
comment on column ops.attention.what is
  'dead letter, item stuck or held, outcome unknown, contradicting result, sold twice, lost by a failover, supplier
silent, circuit, balance, credentials, settings, paused or not read, offer cost, margin or below cost, rate missing,
expired or expires, delivery late, result not told, balance low, money held, sweeper late, audit late, alert.';
comment on column ops.attention.subject is
  'The item, event, order, account, alert, supplier or rate: but for the last, what ops.order_story and ops.find take
after the first word.';
comment on column ops.attention.detail is 'What is the matter, and what to look at first.';
comment on column ops.attention.remedy is 'A statement that would put it right, as it stands.';
comment on column ops.attention.order_code is 'The order, if it is about a single one.';
comment on column ops.attention.account_id is 'The account, if it is about a single one.';
