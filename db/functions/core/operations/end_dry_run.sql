create or replace function core.end_dry_run(dry_run boolean)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if dry_run then
    raise exception 'dry run' using errcode = 'DRYRN';
  end if;
end
$$;
comment on function core.end_dry_run is
  'Raises DRYRN in a dry run: the caller''s block catches it, which takes back the changes that the block made before.
What the block counted in variables stays.';
