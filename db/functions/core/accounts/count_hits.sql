create or replace function core.count_hits(clients cidr[])
returns table (client cidr, hits int, started_at timestamptz)
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  insert into supply.rate_windows as w (client, started_at, hits)
  select c, now(), count(*)::int from unnest(clients) as c group by c order by c
  on conflict on constraint rate_windows_pkey do update set
    started_at = case when w.started_at <= now() - interval '60 s' then excluded.started_at else w.started_at end,
    hits = case when w.started_at <= now() - interval '60 s' then excluded.hits else w.hits + excluded.hits end
  returning w.client, w.hits, w.started_at
$$;
comment on function core.count_hits is
  'Counts one request for each entry in its client''s window of 60 s; an ended window starts again. Returns each
client''s count and when its window began. Specification 8.';
