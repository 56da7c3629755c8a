create or replace view core.attention_to_collations as
select pg_postmaster_start_time() as since, 'collation changed' as what, 'collation of the database' as subject,
  format('it was version %s when the database was made, and is %s now; indexes of the queue may not find their rows; '
    'those of this service are not affected; the owner of the database runs: reindex database %I; alter database %3$I '
    'refresh collation version', d.datcollversion, pg_database_collation_actual_version(d.oid), d.datname) as detail,
  'select datcollversion, pg_database_collation_actual_version(oid) from pg_database where datname = current_database()'
    as remedy, null::text as order_code, null::bigint as account_id
from pg_database d
where d.datname = current_database() and d.datcollversion <> pg_database_collation_actual_version(d.oid)
union all
select pg_postmaster_start_time(), 'collation changed', 'collation ' || c.name,
  format('it was version %s when it was made, and is %s now; indexes that use it may not find their rows; the owner of '
    'the database runs: reindex database %I; alter collation %s refresh version', c.collversion,
    pg_collation_actual_version(c.oid), current_database(), c.name),
  format('select collversion, pg_collation_actual_version(oid) from pg_collation where oid = %s', c.oid), null, null
from (select c.*, format('%I.%I', c.collnamespace::regnamespace, c.collname) as name from pg_collation c) as c
where c.collversion <> pg_collation_actual_version(c.oid)
  -- Only those that a column or an index uses: there are hundreds.
  and c.oid = any (array(select d.refobjid from pg_depend d where d.refclassid = 'pg_collation'::regclass));
comment on view core.attention_to_collations is
  'The rows of ops.attention about collations by which the server now sorts in another version than at their creation.';
