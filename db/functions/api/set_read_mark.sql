create or replace function api.set_read_mark(process_id uuid, mark bigint)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into supply.read_marks as m (process_id, mark) values (set_read_mark.process_id, set_read_mark.mark)
  on conflict on constraint read_marks_pkey do update set mark = excluded.mark, marked_at = excluded.marked_at;
  if set_read_mark.mark = 1 then
    delete from supply.read_marks m
    where m.process_id = any (array(
      select r.process_id from supply.read_marks r
      where r.marked_at < now() - interval '1 hour' for update skip locked));
  end if;
end
$$;
comment on function api.set_read_mark is
  'Commits the next mark of a process. A server that shows it (api.read_state) has all that was committed before. Mark
1, the first, deletes the marks of processes that set none for an hour.';
