create or replace view core.supplier_silence as
with answers as materialized (
  select a.supplier, a.finished_at, a.outcome not in ('unknown', 'not_placed') as is_good
  from supply.supplier_attempts a
  -- Without a worker there are no calls, and with one work.check_suppliers has looked at the previous ones.
  where a.started_at >= now() - interval '10 minutes' and a.started_at < now()
    -- A supplier that only answers that it does not know the item has accepted no item.
    and a.method in ('put', 'get') and a.finished_at is not null and a.verdict is distinct from 'stale'
    and (a.outcome in ('processing', 'completed', 'failed', 'unknown', 'hold')
      -- The other causes have alerts of their own.
      or a.outcome = 'not_placed' and a.cause in ('unreachable', 'busy'))
), good as (
  select s.code as supplier, st.unanswered_since, coalesce(st.silent_after, interval '5 minutes') as silent_after,
    greatest(st.last_good_at, a.last_at) as last_at
  from supply.suppliers s
  left join supply.supplier_states st on st.supplier = s.code
  left join (
    select a.supplier, max(a.finished_at) as last_at from answers a where a.is_good group by a.supplier
  ) as a on a.supplier = s.code
), bad as (
  select a.supplier, min(a.finished_at) as first_at
  from answers a join good g on g.supplier = a.supplier
  where not a.is_good and a.finished_at > coalesce(g.last_at, '-infinity')
  group by a.supplier
), known as (
  select g.supplier, g.silent_after, g.last_at as last_good_at,
    least(case when g.unanswered_since > coalesce(g.last_at, '-infinity') then g.unanswered_since end, b.first_at)
      as unanswered_since
  from good g left join bad b on b.supplier = g.supplier
)
select k.supplier, k.last_good_at, k.unanswered_since,
  k.unanswered_since <= now() - k.silent_after
    and exists (
      select from supply.order_items i
      where i.completed_at is null and i.supplier = k.supplier and (i.sent_at is not null or i.checks > 0)) as is_silent
from known k;
comment on view core.supplier_silence is
  'Which suppliers give no usable answer, by what work.check_suppliers recorded and the calls since. Pushed results do
not count.';
comment on column core.supplier_silence.supplier is 'The supplier.';
comment on column core.supplier_silence.last_good_at is
  'When a call last got the answer processing, completed, failed or hold; null: no such call is known.';
comment on column core.supplier_silence.unanswered_since is
  'When a call first ended without a usable answer since the last usable one; null: none did.';
comment on column core.supplier_silence.is_silent is
  'Whether that is SUPPLIER_SILENT_MINUTES ago, and the supplier has items; null: no call is unanswered.';
