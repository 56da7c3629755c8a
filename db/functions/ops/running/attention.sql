create or replace view ops.attention as
with lines as (
  select d.* from core.attention_to_deliveries d
  union all
  select i.* from core.attention_to_items i
  union all
  select o.* from core.attention_to_offers o
  union all
  select a.*, null, null, null, null
  from (
    select m.* from core.attention_to_money m
    union all
    select al.* from core.attention_to_alerts al
    union all
    select su.* from core.attention_to_suppliers su
  ) as a
), counted as (
  select l.*, count(*) over (partition by l.what, l.all_subject, l.all_detail) as alike,
    count(*) over (partition by l.what) as of_kind
  from lines l
), judged as (
  select c.*, c.all_subject is not null and c.alike > 1 and (c.alike > 10 or c.of_kind > 100) as is_shared
  from counted c
), merged as (
  select j.since, j.what, j.subject, j.detail, j.remedy, j.order_code, j.account_id from judged j where not j.is_shared
  union all
  select min(j.since), j.what, j.all_subject, format(j.all_detail, count(*), string_agg(distinct j.cause, ', ')),
    format(min(j.all_remedy), min(j.since)), null,
    case when min(j.account_id) = max(j.account_id) then min(j.account_id) end
  from judged j where j.is_shared group by j.what, j.all_subject, j.all_detail
)
select date_trunc('second', m.since) as since, m.what, m.subject, m.detail, m.remedy, m.order_code, m.account_id
from merged m
order by m.since;
comment on view ops.attention is
  'The things that need an operator, oldest first, each with the SQL that would fix it. Read ops.order_story of the
subject first: a remedy may refund. More than ten of a kind at one account or supplier share a line; where there are
over a hundred of a kind, so do several.';
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
