create or replace function core.backoff(waited interval)
returns interval
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  select (0.5 + random()) * least(interval '1 minute', greatest(interval '250 ms', waited / 2))
$$;
comment on function core.backoff is
  'In how long to look again whether a supplier has room for a call that has been waiting for so long: about half as long, a quarter of a '
  'second to a minute, spread.';
