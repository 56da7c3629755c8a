create or replace function core.note_clock(process_name text, seconds_ahead int)
returns double precision
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  max_processes constant int := 100;
  is_new boolean;
begin
  if not pg_is_in_recovery() then
    delete from supply.wrong_clocks w
    where w.process_name = note_clock.process_name and note_clock.seconds_ahead is null
      or w.seen_at not between now() - interval '1 hour' and now() + interval '1 hour';
    if seconds_ahead is not null and length(process_name) <= 300
      and (select count(*) from supply.wrong_clocks w where w.process_name <> note_clock.process_name)
        < max_processes then
      insert into supply.wrong_clocks as w (process_name, seconds_ahead)
      values (note_clock.process_name, note_clock.seconds_ahead)
      on conflict on constraint wrong_clocks_pkey do update set seconds_ahead = excluded.seconds_ahead, seen_at = now()
      returning w.seen_at = w.since into is_new;
      if is_new then
        perform core.raise_alerts(array[row('wrong_clock', process_name, null, format(
          'the clock of the process %s is %s s %s the database''s: set the wrong clock. The process signs by the '
            'database''s time, or, if the database''s clock went back, by the time before that',
          process_name, abs(seconds_ahead), case when seconds_ahead > 0 then 'ahead of' else 'behind' end
          ))::supply.occurrence]);
      end if;
    end if;
  end if;
  return 1000 * extract(epoch from clock_timestamp());
end
$$;
comment on function core.note_clock is
  'Returns the time of the database in ms since 1970. seconds_ahead: what the last comparison of the process showed,
null: at most 30 s. The first difference of a process raises an alert, which ends with the difference.';
