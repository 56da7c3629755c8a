create or replace function core.queue_overdue()
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  jobs bigint[];
begin
  with overdue as materialized (
    select e.id, j.id as job_id
    from supply.events e
    left join lateral (
      select j.id, j.is_available and j.last_error is null
        -- A job that killed its worker comes back within minutes. No other one is far from the time of its event.
        and (j.run_at <= now() or j.run_at > now() + interval '10 minutes') as is_due
      from core.jobs j where j.key = 'deliver_webhook:' || e.id offset 0) as j on true
    where e.state = 'waiting' and e.next_attempt_at < now() - interval '5 s'
      and coalesce(j.is_due, j.id is null)
    order by e.next_attempt_at limit 10000
    for no key update of e skip locked
  ), queued as (
    update supply.events e set state = 'queued' from overdue o where e.id = o.id
  )
  select array_agg(o.job_id) filter (where o.job_id is not null) into jobs from overdue o;
  perform graphile_worker.complete_jobs(jobs);
end
$$;
comment on function core.queue_overdue is
  'Queues events whose rung has been due for 5 s, up to 10,000 at a time, and deletes their jobs that are due or far in
the future. After an outage such events wait for slots, and not in front of other jobs.';
