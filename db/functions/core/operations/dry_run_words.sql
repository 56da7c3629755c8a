create or replace function core.dry_run_words(dry_run boolean)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case when dry_run then 'dry run, nothing changed; without dry_run: ' else '' end
$$;
comment on function core.dry_run_words is 'How the notice of a change begins that can be run dry.';
