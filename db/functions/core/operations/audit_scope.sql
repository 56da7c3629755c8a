create or replace view core.audit_scope as
with counted as (
  select o.last,
    case when current_setting('supply.audit_all', true) = 'on' then greatest(o.last, 1) else 20000 end as size
  from (select coalesce(max(o.id), 0) as last from supply.orders o) as o
), slice as (
  select c.last - c.size as newest_after, c.last, c.size,
    floor(extract(epoch from now()) / 60)::bigint % greatest((c.last + c.size - 1) / c.size, 1) as number,
    -- Audits are not a whole minute apart: a slice may be left out once.
    case when c.last <= c.size then interval '0' else ceil(c.last / c.size::float8) * interval '2 minutes' end as round
  from counted c
)
select 'newest' as part, s.newest_after as after, s.last as up_to, s.round from slice s
union all
select 'slice', s.number * s.size, least((s.number + 1) * s.size, s.newest_after), s.round from slice s;
comment on view core.audit_scope is
  'The orders that the audit reads now, as two ranges of ids: the newest 20,000, and each minute another slice of
20,000 older ones. ops.audit_all reads all orders. round: the time in which ops.audit reads every slice.';
