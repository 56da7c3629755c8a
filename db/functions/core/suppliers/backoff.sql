create or replace function core.backoff(waited interval)
returns interval
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  select (0.5 + random()) * least(interval '1 minute', greatest(interval '250 ms', waited / 2))
$$;
comment on function core.backoff is
  'How long a call that has waited for the given time waits before it tries again to get under its supplier''s cap: half that time, within '
  '250 ms and a minute, times a random factor from 0.5 to 1.5.';
