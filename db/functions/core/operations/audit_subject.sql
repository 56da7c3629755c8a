create or replace function core.audit_subject(detail text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(substring(detail from '(?:ledger row [0-9]+ of account|account|item|event|order|job|alert) '
    '[0-9a-z_-]+'), detail)
$$;
comment on function core.audit_subject is
  'What a row of ops.audit is about, by its detail: the account, item, event, order, job, alert or ledger row that it
names first. Figures and times in it may differ from run to run while the row is the same.';
