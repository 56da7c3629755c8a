create or replace view core.audit_scope as
select
  s.last - s.size as newest_after,
  s.last as newest_to,
  s.slice * s.size as slice_after,
  (s.slice + 1) * s.size as slice_to,
  -- Audits are not a whole minute apart: a slice may be left out once.
  case when s.last <= s.size then interval '0' else ceil(s.last / s.size::float8) * interval '2 minutes' end as round
from (
  select o.last, o.size, floor(extract(epoch from now()) / 60)::bigint % greatest((o.last + o.size - 1) / o.size,
    1) as slice
  from (
    select coalesce(max(o.id), 0) as last,
      case when current_setting('supply.audit_all', true) = 'on' then greatest(coalesce(max(o.id), 0), 1)
        else 20000 end as size
    from supply.orders o
  ) as o
) as s;
comment on view core.audit_scope is
  'Which orders the audit looks at now, by two ranges of their numbers: the newest 20,000, and with each minute the
next 20,000 of all, so that a million is looked at within the hour. Of fewer than 20,000, and where ops.audit_all says
so, all.';
