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
    union all
    select st.* from core.attention_to_stock st
    union all
    select c.* from core.attention_to_collations c
  ) as a
), alike as (
  -- Counted without sorting the lines: there may be tens of thousands.
  select l.what, l.all_subject, l.all_detail, l.cause, count(*) as lines, min(l.since) as since,
    min(l.all_remedy) as all_remedy, min(l.account_id) as account_id, max(l.account_id) as last_account_id
  from lines l group by l.what, l.all_subject, l.all_detail, l.cause
), counted as (
  select a.what, a.all_subject, a.all_detail, sum(a.lines) as lines,
    sum(sum(a.lines)) over (partition by a.what) as of_kind, min(a.since) as since,
    string_agg(a.cause, ', ' order by a.cause) as causes, min(a.all_remedy) as all_remedy,
    case when min(a.account_id) = max(a.last_account_id) then min(a.account_id) end as account_id
  from alike a group by a.what, a.all_subject, a.all_detail
), shared as (
  select c.* from counted c
  where c.all_subject is not null and c.lines > 1 and (c.lines > 10 or c.of_kind > 100)
), merged as (
  select l.since, l.what, l.subject, l.detail, l.remedy, l.order_code, l.account_id from lines l
  where not exists (
    select from shared s where (s.what, s.all_subject, s.all_detail) = (l.what, l.all_subject, l.all_detail))
  union all
  select s.since, s.what, s.all_subject, format(s.all_detail, s.lines, s.causes), format(s.all_remedy, s.since), null,
    s.account_id
  from shared s
)
select date_trunc('second', m.since) as since, m.what, m.subject, m.detail, m.remedy, m.order_code, m.account_id
from merged m
order by m.since;
comment on view ops.attention is
  'The problems that need an operator, oldest first, with SQL that is safe to paste: it reads or runs dry. detail names
the function that changes something. More than ten of a kind at one account or supplier share a row; over a hundred of a
kind, any two at one account or supplier do.';
comment on column ops.attention.since is 'When it began.';
comment on column ops.attention.what is
  'dead letter, item stuck or held, outcome unknown, contradicting result, sold twice, lost in a failover, supplier
silent, circuit, balance, credentials, settings, paused or not read, offer cost, margin or below cost, rate missing,
expired or expires, delivery late, result not delivered, balance low, stock low, code duplicate, money held, proposal
open, sweeper late, audit late, collation changed, alert.';
comment on column ops.attention.subject is
  'The item, event, order, account, alert, supplier, stock, batch, rate or collation. ops.order_story and ops.find take
what follows the first word, but for the last four.';
comment on column ops.attention.detail is 'What is wrong, what to check first, and which function changes it.';
comment on column ops.attention.remedy is 'SQL that shows more: it reads, or it runs dry.';
comment on column ops.attention.order_code is 'The order, if it concerns a single one.';
comment on column ops.attention.account_id is 'The account, if it concerns a single one.';
