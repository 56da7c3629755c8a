create or replace function core.audit_subject(detail text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(substring(detail from '(?:ledger row [0-9]+ of account|account|item|event|order|job|alert) '
    '[0-9a-z_-]+'), detail)
$$;
comment on function core.audit_subject is
  'Returns the subject of a row of ops.audit from its detail: the account, item, event, order, job, alert or ledger row
that it names first. The figures in a detail may change while the breach stays the same.';
