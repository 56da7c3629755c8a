create or replace function core.count_hits(kind supply.window_kind, subjects text[], hits int[], per_minute int[])
returns table (subject text, hits_before int, hits int, per_minute int, ends_at timestamptz)
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  insert into supply.rate_windows as w (kind, subject, started_at, hits_before, hits, per_minute)
  select count_hits.kind, s.subject, clock_timestamp(), 0, least(s.hits, s.per_minute), s.per_minute
  from unnest(subjects, count_hits.hits, count_hits.per_minute) as s (subject, hits, per_minute)
  order by s.subject collate "C"
  on conflict on constraint rate_windows_pkey do update set (started_at, hits_before, hits, per_minute) = (
    select case when n.is_over then excluded.started_at else w.started_at end, n.hits_before,
      greatest(n.hits_before, least(n.hits_before + excluded.hits, excluded.per_minute)), excluded.per_minute
    from (
      select o.is_over, case when o.is_over then 0 else w.hits end as hits_before
      from (
        -- A clock that was set back must not prolong a window.
        select w.started_at not between clock_timestamp() - interval '60 s' and clock_timestamp() + interval '1 s'
          as is_over
      ) as o
    ) as n)
  returning w.subject, w.hits_before, w.hits, w.per_minute, w.started_at + interval '60 s'
$$;
comment on function core.count_hits is
  'Counts so many hits of each subject in its window of 60 s, as far as per_minute allows, and locks the windows; an
ended one starts again. Returns the hits before and after, and when the window ends. Zero hits only lock. The
subjects must be distinct. Specification 8.';
