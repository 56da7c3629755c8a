create or replace function core.enqueue_busy(task text, ids uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.enqueue(task, ids, array(
    select now() + (0.25 + random() / 2) * interval '1 s' from unnest(ids)));
end
$$;
comment on function core.enqueue_busy is
  'Adds a job of the task, due within a second, for each id that another transaction has locked. The jobs have no key:
if the other transaction added the job with the key, this one would wait for it. A job that finds nothing to do ends.';
