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
  'Adds a job of the task for every id that another transaction has locked, due within a second. The jobs have no key: the other '
  'transaction may have added the one with the key, and this one would wait for it. One that comes early finds nothing to do, or replaces itself.';
